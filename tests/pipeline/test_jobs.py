"""Every column of every job equals a plain-Python oracle, on many small estates of drawn events at once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from engine.core.exchange.events import BrokerEvent, CatalogApplied
from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline import JOBS, Manifest, manifest_of, run
from engine.pipeline.lake.exporting import export
from engine.pipeline.lake.writing import Lake
from tests.pipeline import oracle
from tests.pipeline.conftest import MASTER
from tests.pipeline.drawn_events import EPOCH, Told, drawn_estate
from tests.pipeline.expected import EXAMPLES, EXPECTED
from tests.pipeline.oracle import Estate
from tests.pipeline.reading import in_any_order, rows_of, told_rows
from tests.pipeline.traffic import world_of_traffic
from tests.support.thoroughness import THOROUGH

LAKE_JOBS = ("delivery", "audit", "paths", "conversations")
SEEDS = 8 if THOROUGH else 4
"""Of each of two estates."""

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture(scope="module")
def told() -> dict[str, Told]:
    return {"one": drawn_estate(0, SEEDS), "two": drawn_estate(SEEDS, SEEDS), "real": world_of_traffic()}


@pytest.fixture(scope="module")
def estates(told: dict[str, Told]) -> list[Estate]:
    return [Estate(name, events) for name, events in told.items()]


@pytest.fixture(scope="module")
def lake(told: dict[str, Told], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("lakes") / "lake", told)


def filled(folder: Path, told: dict[str, Told]) -> Path:
    """A lake with all of it, in few files; beside it one that has the same, the real traffic in many."""
    made = Lake(folder)
    for name in ("one", "two"):
        for instance, events in told[name].items():
            made.append(name, instance, events)
    made.compact()
    for instance, events in reversed(told["real"].items()):
        made.append("real", instance, events[:7])
        made.append("real", instance, events[7:])
    shutil.copytree(folder, in_small_files(folder))
    made.compact()
    return folder


def in_small_files(lake: Path) -> Path:
    return lake.with_name("small files")


def done(job: str, lake: Path, target: Path, work: Path, **given: str) -> Manifest:
    return run(job, source=lake, target=target, work=work, master=MASTER, given=given, progress=lambda *_: None)


def examples(job: str) -> dict[str, str]:
    return {"examples": str(EXAMPLES)} if job == "audit" else {}


@pytest.fixture(scope="module")
def results(lake: Path, work: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("results")
    for job in LAKE_JOBS:
        done(job, lake, out / job, work, **examples(job))
    return {job: out / job for job in LAKE_JOBS}


def told_of(estates: list[Estate], kind: type[BrokerEvent]) -> list[BrokerEvent]:
    return [event for estate in estates for _, _, event in estate.events if isinstance(event, kind)]


@pytest.mark.parametrize(("job", "table"), EXPECTED)
def test_every_column_equals_the_oracle(job, table, results, estates):
    expected = [row for estate in estates for row in EXPECTED[job, table](estate)]
    assert expected, "the drawn events make none"
    assert told_rows(results[job] / table) == in_any_order(expected)


@pytest.mark.parametrize("job", LAKE_JOBS)
def test_the_manifest_says_what_went_in_and_came_out(job, results, estates, lake):
    manifest = manifest_of(results[job])
    assert manifest is not None
    assert manifest.rows_in == {"events": sum(len(estate.events) for estate in estates)}
    assert set(manifest.tables) == {table for of, table in EXPECTED if of == job}
    for name, table in manifest.tables.items():
        rows = rows_of(results[job] / name)
        assert table.rows == len(rows)
        assert set(table.columns) == set(rows[0])
    assert list(manifest.revisions) == sorted({event.revision for event in told_of(estates, CatalogApplied)})
    assert (manifest.job, manifest.source) == (job, str(lake))
    assert manifest.started_at <= manifest.ended_at


@pytest.fixture
def as_in_earnest(spark: SparkSession) -> Iterator[None]:
    """What a run has that is no test: several partitions, and plans that change under way."""
    earnest = {
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        # As where no side of a join is small enough to be handed to everybody.
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    }
    before = {name: spark.conf.get(name) for name in earnest}
    for name, value in earnest.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.set(name, str(value))


@pytest.mark.slow
@pytest.mark.usefixtures("as_in_earnest")
@pytest.mark.parametrize("job", ["audit", "paths"])
def test_in_earnest_the_same_rows_are_made(job, lake, work, results, tmp_path):
    """Rows that lie in the wrong partition find nothing to be joined with: with one partition nobody would see it.

    The two have every join that there is.
    """
    found, known = done(job, lake, tmp_path / "out", work, **examples(job)), manifest_of(results[job])
    assert known is not None
    assert {name: (table.rows, table.checksum) for name, table in found.tables.items()} == {
        name: (table.rows, table.checksum) for name, table in known.tables.items()
    }


def test_every_verdict_and_every_end_of_a_figure_is_met(results):
    """The oracle had something to say about each case."""
    (summary,) = [{k: sum(row[k] for row in rows_of(results["audit"] / "summary")) for k in oracle.VERDICTS}]
    assert all(summary.values()), summary
    rows = rows_of(results["delivery"] / "messages")
    for column in ("latency_milliseconds", "drop_number", "route", "queue", "acknowledged_at"):
        assert {row[column] is None for row in rows} == {True, False}, column
    assert {row["resends"] > 1 for row in rows} == {True, False}
    assert min(row["latency_milliseconds"] or 0 for row in rows) < 0


def test_of_real_traffic_nothing_is_lost_although_the_network_loses(results):
    (row,) = [row for row in rows_of(results["audit"] / "summary") if row["estate"] == "real"]
    assert {name: row[name] for name in ("lost", "doubled", "reordered", "unsent", "unseen")} == {
        "lost": 0,
        "doubled": 0,
        "reordered": 0,
        "unsent": 0,
        "unseen": 0,
    }
    assert row["delivered"] > 40
    (loud,) = [r for r in rows_of(results["delivery"] / "by_hops") if r["estate"] == "real" and r["hops"] == 1]
    assert loud["resends"] > 0


# Only `delivery` has nothing of its own to do for a span: it reads as the others do.
@pytest.mark.parametrize(
    "job", [job if job == "conversations" else pytest.param(job, marks=pytest.mark.slow) for job in LAKE_JOBS]
)
def test_of_a_span_everything_equals_the_oracle_that_sees_no_more(job, told, lake, work, tmp_path):
    """What was before is known by what says how things stood: nothing is called unsent that was sent earlier."""
    since, until = EPOCH + 900.25, EPOCH + 2700.5
    seen = Estate("two", told["two"], since, until)
    given = {"estate": "two", "since": iso(since), "until": iso(until)}
    manifest = done(job, lake, tmp_path / job, work, **given, **examples(job))
    assert manifest.rows_in == {"events": len(seen.events)}
    for table in (table for of, table in EXPECTED if of == job):
        assert told_rows(tmp_path / job / table) == in_any_order(EXPECTED[job, table](seen)), table


@pytest.mark.slow
def test_what_instances_had_let_go_makes_nobody_a_liar(told, work, tmp_path):
    """What the missing events may have told is neither called lost nor unsent."""
    kept = {name: [*events[:6], *events[12:]] for name, events in told["one"].items() if len(events) > 12}
    lake = Lake(tmp_path / "lake")
    for name, events in kept.items():
        for piece in (events[:6], events):
            export(
                lake, "one", name, lambda after, most, piece=piece: [e for e in piece if e[0] > after][:most], _nobody
            )
    lake.compact()
    gone = {name: events[6][1].at for name, events in kept.items()}
    done("audit", lake.folder, tmp_path / "out", work, examples=str(EXAMPLES))
    seen, trusting = Estate("one", kept, lost_until=gone), Estate("one", kept)
    assert told_rows(tmp_path / "out" / "messages") == in_any_order(oracle.judged(seen))
    assert oracle.judged(seen) != oracle.judged(trusting)


@pytest.mark.slow
def test_folders_and_estates_have_names_as_people_give_them(told, work, tmp_path):
    """Estates are folders too."""
    lake, out = Lake(tmp_path / "Größe 100% 東京"), tmp_path / "o ü"
    estates = ("Größe 100%/東京", "plain")
    for estate in estates:
        lake.append(estate, "A", next(iter(told["one"].values())))
    for given, names in (({}, {*estates}), ({"estate": estates[0]}, {estates[0]})):
        done("conversations", lake.folder, out, work, **given)
        assert {row["estate"] for row in rows_of(out / "conversations")} == names


def _nobody(written: int) -> None:
    """Where nobody listens."""


def iso(at: float) -> str:
    return oracle.instant(at).isoformat()


@pytest.mark.slow
@pytest.mark.parametrize("job", ["conversations", "audit"])
def test_a_span_without_events_makes_tables_without_rows(job, lake, work, tmp_path):
    manifest = done(job, lake, tmp_path / "out", work, estate="nobody")
    assert manifest.rows_in == {"events": 0}
    assert {name: table.rows for name, table in manifest.tables.items()} == {
        table: 0 for of, table in EXPECTED if of == job
    }


@pytest.mark.slow
def test_an_instant_is_the_same_in_every_zone(lake, work, tmp_path):
    """Where it is still the day before, too: days are folders."""
    bounds = [datetime.fromtimestamp(EPOCH + 1800, zone) for zone in (UTC, timezone(timedelta(hours=-23)))]
    assert bounds[0].date() != bounds[1].date()
    manifests = [done("conversations", lake, tmp_path / "out", work, until=bound.isoformat()) for bound in bounds]
    assert manifests[0].rows_in == manifests[1].rows_in != {"events": 0}


@pytest.mark.parametrize("text", ["yesterday", "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"])
def test_what_is_no_instant_is_refused(text, lake, work, tmp_path):
    with pytest.raises(LocalProtocolError, match=re.escape(text)) as caught:
        done("paths", lake, tmp_path / "out", work, since=text)
    assert caught.value.number == 241
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_same_run_again_makes_the_same_rows_whatever_the_files(lake, results, work):
    before = manifest_of(results["delivery"])
    small = in_small_files(lake)
    assert len(Lake(small).files()) > len(Lake(lake).files())
    after = done("delivery", small, results["delivery"], work)
    assert before is not None
    assert {name: table.checksum for name, table in after.tables.items()} == {
        name: table.checksum for name, table in before.tables.items()
    }


def test_there_is_an_oracle_for_every_job_on_lakes():
    """The manifest's test holds that there is one for each of its tables."""
    on_lakes = {name for name, job in JOBS.items() if "lake" in job.reads}
    assert {job for job, _ in EXPECTED} == on_lakes == set(LAKE_JOBS)
