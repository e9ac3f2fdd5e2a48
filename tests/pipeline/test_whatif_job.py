"""The job `whatif` against the engine itself, one conversation at a time: every column of every table."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.frame import Inputs, Outcome, run_job
from engine.pipeline.manifest import Manifest
from engine.pipeline.whatif.interning import ingest
from engine.pipeline.whatif.snapshots import write_snapshot
from tests.pipeline.reading import in_any_order, told_rows
from tests.support.drawn_estates import NOW, Drawing
from tests.support.thoroughness import share
from tests.support.whatif_job import (
    conversations_of,
    expected,
    revisions_of,
    run_both,
    run_whatif,
    told,
    write_conversations,
)
from tests.support.whatif_sums import expected_changes, expected_heat

SEEDS = (3, 8, 9, 19, 23, 27)
"""Estates in which routes draw, flows are lost and found, and messages go round corners."""


@pytest.mark.parametrize("seed", share(SEEDS, 1))
def test_every_column_is_what_the_engine_says(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    revisions = revisions_of(seed)
    rows = conversations_of(seed, revisions[0][2], 400)
    manifest = run_both(spark, tmp_path, rows, revisions)
    wanted = expected(rows, revisions)
    assert told(tmp_path / "out") == wanted
    assert told_rows(tmp_path / "out" / "changes") == in_any_order(expected_changes(wanted))
    assert told_rows(tmp_path / "out" / "heat") == in_any_order(expected_heat(wanted))
    assert manifest.revisions == tuple(each[0] for each in revisions)
    assert manifest.rows_in == {"conversations": len(rows)}
    assert manifest.tables["conversations"].rows == len(rows)
    assert 0 < manifest.notes["checked"] <= len(rows)


@pytest.mark.slow
def test_what_is_drawn_is_not_all_alike() -> None:
    """Else the comparison above would say little."""
    found: Counter[str] = Counter()
    for seed in SEEDS:
        revisions = revisions_of(seed)
        for row in expected(conversations_of(seed, revisions[0][2], 400), revisions):
            for verdict in row["verdicts"].values():
                found[f"change {verdict['change']}"] += 1
                found[f"end {verdict['disposition']}"] += 1
                found["drawn"] += verdict["way_share"] is not None and 0 < verdict["way_share"] < 1
                found["heard in part"] += verdict["heard_share"] is not None and 0 < verdict["heard_share"] < 1
                found["several hops"] += len(verdict["path"] or ()) > 1
    for name in ("lost", "moved", "gained", "unchanged"):
        assert found[f"change {name}"] > 5, found
    for name in ("delivered", "delayed", "refused", "discarded", None):
        assert found[f"end {name}"] > 5, found
    assert min(found["drawn"], found["heard in part"], found["several hops"]) > 5, found


@pytest.mark.slow
def test_what_changes_is_drawn_with_several_steps() -> None:
    """Else heat would be a table of beginnings."""
    found = []
    for seed in SEEDS:
        revisions = revisions_of(seed)
        found += expected_heat(expected(conversations_of(seed, revisions[0][2], 400), revisions))
    assert sum(row["from_instance"] is not None for row in found) > 10
    assert {row["change"] for row in found} == {"lost", "moved", "gained"}


@pytest.fixture(scope="module")
def first(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Manifest]:
    """A run that several tests only read: its room and its manifest."""
    room, revisions = tmp_path_factory.mktemp("first"), revisions_of(3)
    return room, run_both(spark, room, conversations_of(3, revisions[0][2], 60), revisions)


@pytest.fixture
def room(first: tuple[Path, Manifest], tmp_path: Path) -> Path:
    """The room of that run, for a test to change."""
    shutil.copytree(first[0], tmp_path / "room")
    return tmp_path / "room"


def sums_of(manifest: Manifest) -> dict[str, tuple[int, str]]:
    return {name: (table.rows, table.checksum) for name, table in manifest.tables.items()}


@pytest.mark.slow
def test_the_same_again_makes_the_same(spark: SparkSession, first: tuple[Path, Manifest], tmp_path: Path) -> None:
    revisions = revisions_of(3)
    in_another_order = run_both(spark, tmp_path, conversations_of(3, revisions[0][2], 60)[::-1], revisions)
    assert sums_of(first[1]) == sums_of(in_another_order) == sums_of(run_whatif(spark, tmp_path))


@pytest.mark.slow
def test_a_single_revision_is_compared_with_nothing(spark: SparkSession, tmp_path: Path) -> None:
    revisions = revisions_of(0)[:1]
    run_both(spark, tmp_path, conversations_of(0, revisions[0][2], 50), revisions)
    assert set(pq.read_table(tmp_path / "out" / "verdicts")["change"].to_pylist()) == {None}
    assert set(pq.read_table(tmp_path / "out" / "conversations")["change"].to_pylist()) == {0}


@pytest.mark.slow
def test_no_conversations_are_no_failure(spark: SparkSession, tmp_path: Path) -> None:
    manifest = run_both(spark, tmp_path, [], revisions_of(0))
    assert {name: table.rows for name, table in manifest.tables.items()} == {
        "conversations": 0,
        "flows": 0,
        "verdicts": 0,
        "changes": 0,
        "heat": 0,
    }
    assert manifest.notes["checked"] == 0


NAMES = ("instance", "database", "service", "direction", "to_service", "broker_instance")


def names_of(row: dict[str, Any]) -> tuple[str | None, ...]:
    """Of a conversation as it was given: who does not say which end sends has begun the dialog."""
    return tuple("initiator" if name == "direction" and row[name] is None else row[name] for name in NAMES)


@pytest.mark.parametrize("count", [0, 150])
def test_flows_are_numbered_in_the_order_of_their_names(count: int, spark: SparkSession, tmp_path: Path) -> None:
    rows = conversations_of(1, Drawing(1).estate(), count)
    write_conversations(tmp_path / "given", rows)
    manifest = run_job(spark, "ingest", ingest, source=tmp_path / "given", target=tmp_path / "interned", parameters={})
    conversations, flows = (pq.read_table(tmp_path / "interned" / name) for name in ("conversations", "flows"))
    assert conversations.column_names == ["conversation_id", "flow"]
    assert flows.column_names == ["flow", *NAMES, "conversations"]
    wanted = Counter(map(names_of, rows))
    in_order = sorted(wanted, key=lambda names: [(each is not None, each or "") for each in names])
    assert [tuple(row.values()) for row in flows.to_pylist()] == [
        (number, *names, wanted[names]) for number, names in enumerate(in_order)
    ]
    assert Counter((row["conversation_id"], in_order[row["flow"]]) for row in conversations.to_pylist()) == Counter(
        (row["conversation_id"], names_of(row)) for row in rows
    )
    assert manifest.rows_in == {"conversations": count}


@pytest.mark.slow
def test_what_it_has_written_may_be_asked_again(spark: SparkSession, first: tuple[Path, Manifest], room: Path) -> None:
    """The flows and conversations of an answer are those of the question."""
    (room / "interned").rename(room / "elsewhere")
    (room / "out").rename(room / "interned")
    again = run_whatif(spark, room)
    assert again.tables["conversations"].checksum == first[1].tables["conversations"].checksum


@pytest.mark.slow
def test_a_row_that_finds_no_flow_ends_the_run(spark: SparkSession, tmp_path: Path) -> None:
    write_conversations(tmp_path / "given", conversations_of(1, Drawing(1).estate(), 20))

    def short(session: SparkSession, inputs: Inputs) -> Outcome:
        outcome = ingest(session, inputs)
        rows = outcome.tables["conversations"]
        assert isinstance(rows, DataFrame)
        return replace(outcome, tables={**outcome.tables, "conversations": rows.limit(19)})

    given = {"source": tmp_path / "given", "target": tmp_path / "interned", "parameters": {}}
    assert refusal(lambda: run_job(spark, "ingest", short, **given)) == 8951
    assert not (tmp_path / "interned").exists()


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────────────
def refusal(call: Any) -> int:
    with pytest.raises(LocalProtocolError) as caught:
        call()
    return caught.value.number


def test_a_column_that_is_missing_is_named(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    write_conversations(tmp_path / "all", conversations_of(1, Drawing(1).estate(), 5), files=1)
    pq.write_table(pq.read_table(tmp_path / "all").drop_columns(["to_service"]), tmp_path / "given" / "part.parquet")

    def work() -> None:
        run_job(spark, "ingest", ingest, source=tmp_path / "given", target=tmp_path / "interned", parameters={})

    with pytest.raises(LocalProtocolError, match="to_service") as caught:
        work()
    assert caught.value.number == 207
    assert not (tmp_path / "interned").exists()


@pytest.mark.slow
def test_what_is_not_there_is_refused(spark: SparkSession, room: Path) -> None:
    before = (room / "out" / "manifest.json").read_bytes()
    write_snapshot(room / "other", Drawing(1).estate(), revision=7, at=NOW)
    (room / "snapshots" / "more.estate").write_bytes((room / "other" / "7.estate").read_bytes())
    assert refusal(lambda: run_whatif(spark, room)) == 2627
    (room / "snapshots" / "more.estate").write_bytes(b"\xc1")
    assert refusal(lambda: run_whatif(spark, room)) == 13807
    for path in (room / "snapshots").iterdir():
        path.unlink()
    assert refusal(lambda: run_whatif(spark, room)) == 13807
    flows = room / "interned" / "flows"
    flows.rename(room / "elsewhere")
    assert refusal(lambda: run_whatif(spark, room)) == 13807
    flows.mkdir()
    some = pq.read_table(room / "elsewhere")
    for damaged in (some.slice(1), some.drop_columns(["service"]), None):
        if damaged is None:
            (flows / "part.parquet").write_bytes(b"no Parquet")
        else:
            pq.write_table(damaged, flows / "part.parquet")
        assert refusal(lambda: run_whatif(spark, room)) == 13807
    assert (room / "out" / "manifest.json").read_bytes() == before
