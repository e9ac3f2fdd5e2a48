"""What an import has brought leaves the lake again, and nothing else does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.compacting import compacting_alone
from engine.pipeline.lake.importing import import_trace
from engine.pipeline.lake.schema import ORDER
from engine.pipeline.lake.taking_out import take_out_trace
from engine.pipeline.lake.trace_rejects import rejects_of
from engine.pipeline.lake.writing import Lake
from engine.pipeline.manifest import TakenOut
from tests.pipeline.drawn_events import drawn_estate
from tests.pipeline.trace_files import exported, written
from tests.pipeline.traffic import world_of_traffic

ODD_NAMES = [("e", "PARIS"), ("l'été à 50 %", "SQL/1"), ("a b", "O'NEIL"), ("\\", 'say "so"')]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


def rows_of(lake: Lake) -> list[dict[str, Any]]:
    order = [("estate", "ascending"), ("instance", "ascending"), *((name, "ascending") for name in ORDER)]
    return lake.read().sort_by([*order, ("payload", "ascending")]).to_pylist()


def rejected_by(lake: Lake) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DeltaTable(rejects_of(lake)).to_pyarrow_table().to_pylist()
    return sorted(found, key=lambda row: (row["estate"], row["instance"], row["text"]))


@pytest.mark.parametrize(("estate", "instance"), ODD_NAMES)
def test_a_trace_with_a_wrong_time_zone_is_taken_out_whole_and_taken_in_with_the_right_one(
    lake, tmp_path, estate, instance
):
    rows = [{**row, "StartTime": row["StartTime"].split("+")[0]} for row in exported()]
    trace = written(tmp_path / "trace.csv", rows)
    import_trace(lake, estate, instance, trace)
    taken = take_out_trace(lake, estate, instance, trace)
    assert taken == TakenOut(rows=len(rows), taken=len(rows))
    state = lake.state(estate, [instance])
    assert (state.events, state.instances[0].events, rows_of(lake)) == (0, 0, [])
    assert import_trace(lake, estate, instance, trace, time_zone="Asia/Tokyo").written == len(rows)
    assert take_out_trace(lake, estate, instance, trace).taken == 0
    assert lake.state(estate, [instance]).instances[0].events == lake.rows() == len(rows)


def test_what_instances_have_told_and_what_is_of_others_stays(lake, tmp_path):
    told = world_of_traffic() | drawn_estate(0, 3)
    for instance in ("PARIS", "HUB"):
        lake.append("e", instance, told[instance])
    trace = written(tmp_path / "trace.csv", [*exported(), {"EventClass": "?"}])
    for estate, instance in (("e", "HUB"), ("f", "PARIS")):
        import_trace(lake, estate, instance, trace)
    before, marks = rows_of(lake), [lake.mark("e", each) for each in told]
    imported = import_trace(lake, "e", "PARIS", trace)
    taken = take_out_trace(lake, "e", "PARIS", trace)
    assert taken == TakenOut(rows=imported.written, taken=imported.written, rejected=1)
    assert rows_of(lake) == before
    assert [lake.mark("e", each) for each in told] == marks
    assert [each.events for each in lake.state("e", ["PARIS", "HUB"]).instances] == [
        len(told["PARIS"]),
        len(told["HUB"]) + imported.written,
    ]
    assert {(row["estate"], row["instance"]) for row in rejected_by(lake)} == {("e", "HUB"), ("f", "PARIS")}


def test_of_a_longer_export_the_rest_stays_and_what_stands_twice_is_one(lake, tmp_path):
    rows = exported()[:60]
    import_trace(lake, "e", "PARIS", written(tmp_path / "long.csv", rows))
    short = written(tmp_path / "short.csv", [*rows[:40], *rows[:3]])
    assert take_out_trace(lake, "e", "PARIS", short) == TakenOut(rows=43, taken=40)
    assert take_out_trace(lake, "e", "PARIS", short) == TakenOut(rows=43, missing=40)
    assert sorted(row["event_number"] for row in rows_of(lake)) == sorted(row["EventSequence"] for row in rows[40:])


def test_nothing_is_made_to_take_something_out_of_it(lake, tmp_path):
    trace = written(tmp_path / "trace.csv", exported()[:10])
    assert take_out_trace(lake, "e", "PARIS", trace) == TakenOut(rows=10, missing=10)
    assert not lake.folder.exists()
    import_trace(lake, "e", "PARIS", trace)
    assert take_out_trace(lake, "e", "PARIS", written(tmp_path / "empty.csv", [])) == TakenOut()
    assert lake.rows() == 10
    with pytest.raises(LocalProtocolError, match=r"4861: .*missing\.csv"):
        take_out_trace(lake, "e", "PARIS", tmp_path / "missing.csv")
    with pytest.raises(LocalProtocolError, match="9820"):
        take_out_trace(lake, "e", "PARIS", trace, time_zone="Mars/Olympus")


@pytest.mark.parametrize(("estate", "instance"), ODD_NAMES)
def test_rows_that_were_not_understood_go_and_those_of_another_file_stay(lake, tmp_path, estate, instance):
    short = written(tmp_path / "short.csv", [{"EventClass": "9999"}, {"EventClass": "it's"}])
    other = written(tmp_path / "other.csv", [{"EventClass": "8888"}])
    for trace in (short, other, written(tmp_path / "good.csv", exported()[:1])):
        import_trace(lake, estate, instance, trace)
    kept = rejected_by(lake)
    assert take_out_trace(lake, estate, instance, short) == TakenOut(rejected=2)
    assert rejected_by(lake) == [row for row in kept if row["file"] == "other.csv"]
    assert take_out_trace(lake, estate, instance, short) == TakenOut()
    import_trace(lake, estate, instance, short)
    assert rejected_by(lake) == kept


def test_with_a_wrong_zone_nothing_goes(lake, tmp_path):
    trace = written(
        tmp_path / "trace.csv", [{**exported()[0], "StartTime": "2026-11-26T06:00:00"}, {"EventClass": "?"}]
    )
    import_trace(lake, "e", "PARIS", trace)
    before = rows_of(lake), rejected_by(lake)
    assert take_out_trace(lake, "e", "PARIS", trace, time_zone="Asia/Tokyo") == TakenOut(rows=1, missing=1)
    assert (rows_of(lake), rejected_by(lake)) == before
    assert take_out_trace(lake, "e", "PARIS", trace) == TakenOut(rows=1, taken=1, rejected=1)
    assert (rows_of(lake), rejected_by(lake)) == ([], [])


def test_rows_that_a_lake_has_twice_go_both_and_are_counted(lake, tmp_path):
    rows = exported()[:10]
    trace = written(tmp_path / "trace.csv", rows)
    import_trace(lake, "e", "PARIS", trace)
    import_trace(lake, "e", "PARIS", written(tmp_path / "more.csv", exported()[10:15]))
    double = lake.read()
    write_deltalake(lake.folder, double, mode="append")
    taken = take_out_trace(lake, "e", "PARIS", trace)
    assert (taken.taken, taken.missing, lake.rows()) == (20, 0, 10)


def test_who_has_looked_before_a_trace_came_and_another_went_looks_again(lake, tmp_path, monkeypatch):
    """The number of rows is what it was then, and says nothing."""
    gone = written(tmp_path / "gone.csv", exported()[20:40])
    come = written(tmp_path / "come.csv", exported()[:20])
    import_trace(lake, "e", "PARIS", gone)
    slow, commit = Lake(lake.folder), Lake._commit

    def overtaken(*arguments: Any) -> None:
        monkeypatch.setattr(Lake, "_commit", commit)
        import_trace(lake, "e", "PARIS", come)
        take_out_trace(lake, "e", "PARIS", gone)
        commit(*arguments)

    monkeypatch.setattr(Lake, "_commit", overtaken)
    assert import_trace(slow, "e", "PARIS", come).written == 0
    assert lake.rows() == lake.state("e", ["PARIS"]).events == 20


def test_who_waits_for_others_may_give_up(lake, tmp_path):
    trace = written(tmp_path / "trace.csv", exported()[:10])
    import_trace(lake, "e", "PARIS", trace)
    heard = []

    def hear(done: int, total: int) -> None:
        heard.append(done)
        if heard.count(total) > 2:
            raise GivenUp

    class GivenUp(Exception):
        pass

    with compacting_alone(lake.folder), pytest.raises(GivenUp):
        take_out_trace(lake, "e", "PARIS", trace, progress=hear)
    assert lake.rows() == 10


def test_who_reads_at_the_moment_finds_his_files_and_files_of_other_hours_are_not_written_again(lake, tmp_path):
    rows = exported()[:20]
    early = [{**row, "StartTime": f"2026-11-2{place % 4}T0{place % 7}:30:00"} for place, row in enumerate(rows)]
    late = [{**row, "StartTime": "2026-11-27T09:00:00"} for row in rows]
    import_trace(lake, "e", "PARIS", written(tmp_path / "late.csv", late))
    kept = lake.files()
    trace = written(tmp_path / "early.csv", early)
    import_trace(lake, "e", "PARIS", trace)
    listed = lake.files()
    assert len(listed) > 10
    assert take_out_trace(lake, "e", "PARIS", trace).taken == 20
    assert sum(pq.read_metadata(file).num_rows for file in listed) == 40
    assert lake.files() == kept


def test_it_waits_for_a_compaction_and_finds_the_rows_wherever_they_are_then(lake, tmp_path):
    rows = exported()[:60]
    for begin in (0, 20, 40):
        import_trace(lake, "e", "PARIS", written(tmp_path / "trace.csv", rows[begin : begin + 20]))
    assert lake.compact() > 0
    trace = written(tmp_path / "trace.csv", rows[:50])
    read = Event()

    def hear(done: int, total: int) -> None:
        if done == total:
            read.set()

    with ThreadPoolExecutor() as threads:
        with compacting_alone(lake.folder) as is_alone:
            assert is_alone
            taking = threads.submit(take_out_trace, lake, "e", "PARIS", trace, progress=hear)
            assert read.wait(60)
            with pytest.raises(TimeoutError):
                taking.result(0.5)
            before = lake.rows()
        assert (before, taking.result(60).taken, lake.rows()) == (60, 50, 10)


def test_others_export_meanwhile_and_nothing_of_theirs_is_lost(lake, tmp_path):
    told = (world_of_traffic() | drawn_estate(0, 3))["HUB"]
    rows = exported()[:60]
    traces = [written(tmp_path / f"{place}.csv", rows[place::6]) for place in range(6)]
    for trace in traces:
        import_trace(lake, "e", "PARIS", trace)

    def export() -> None:
        for end in range(1, len(told), max(len(told) // 12, 1)):
            Lake(lake.folder).append("e", "HUB", told[:end])

    with ThreadPoolExecutor() as threads:
        exporting = threads.submit(export)
        taken = [threads.submit(take_out_trace, Lake(lake.folder), "e", "PARIS", trace) for trace in traces[:3]]
        assert [each.result(120).taken for each in taken] == [len(rows[place::6]) for place in range(3)]
        exporting.result(120)
    lake.append("e", "HUB", told)
    of = {each.instance: each.events for each in lake.state("e", ["PARIS", "HUB"]).instances}
    assert of == {"PARIS": 30, "HUB": len(told)}
    assert lake.rows() == 30 + len(told)
