"""Small files of a lake become large ones, hour by hour; rows stay as they are, whoever compacts, writes and reads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

import pytest

from engine.pipeline.lake.compacting import compacting_alone
from engine.pipeline.lake.hours import lake_hours
from engine.pipeline.lake.writing import Lake
from tests.pipeline.drawn_events import Told, drawn_estate
from tests.pipeline.traffic import later, world_of_traffic


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture(scope="module")
def told() -> Told:
    return world_of_traffic() | drawn_estate(0, 2)


def rows_of(lake: Lake, estate: str = "") -> list[tuple[object, ...]]:
    rows = lake.read().select(["estate", "instance", "event_number", "payload"]).to_pylist()
    return sorted(tuple(row.values()) for row in rows if estate in ("", row["estate"]))


def test_compaction_leaves_the_rows_and_takes_the_files(lake, told):
    for instance, events in told.items():
        for begin in range(0, len(events), 25):
            lake.append("e", instance, events[begin : begin + 25])
    before, files = rows_of(lake), len(lake.files())
    assert lake.compact() > 0
    assert len(lake.files()) < files / 3
    assert rows_of(lake) == before
    assert lake.append("e", "PARIS", told["PARIS"]) == 0


@pytest.mark.slow
def test_compaction_touches_no_hour_that_has_few_files(lake, told):
    events = told["PARIS"]
    for begin in range(0, 100, 25):
        lake.append("e", "PARIS", events[begin : begin + 25])
        lake.append("f é=/", "PARIS", events[begin : begin + 25])
    lake.append("e", "BERLIN", later(told["BERLIN"][:50], 86_400.0))
    lake.append("e", "HUB", later(told["HUB"][:50], 172_800.0))
    lake.append("e", "HUB", later(told["HUB"][50:100], 172_800.0))
    hours = lake_hours(lake.folder, "e")
    assert [each.small_files for each in hours] == [each.files for each in hours] == [4, 1, 2]
    before, rows = set(lake.files()), rows_of(lake, "e")
    assert lake.compact("e", [hours[0].begins_at, hours[1].begins_at]) == 4
    assert [each.files for each in lake_hours(lake.folder, "e")] == [1, 1, 2]
    assert len(before - set(lake.files())) == 4
    assert set(lake.files("f é=/")) <= before
    assert lake.compact("e") == 2
    again = set(lake.files())
    assert lake.compact("e") == 0
    assert set(lake.files()) == again
    assert lake.compact() == 4
    assert rows_of(lake, "e") == rows


def test_an_hour_of_large_files_is_left_as_it_is(lake, told):
    for begin in range(0, 100, 50):
        lake.append("e", "PARIS", told["PARIS"][begin : begin + 50])
    before = lake.files()
    sizes = [Path(unquote(file)).stat().st_size for file in before]
    assert lake.compact(file_bytes=2 * min(sizes)) == 0
    assert lake.files() == before
    assert lake.compact(file_bytes=2 * max(sizes) + 1) == 2


def test_two_compactions_at_once_double_nothing(lake, told):
    for begin in range(0, 100, 25):
        lake.append("e", "PARIS", told["PARIS"][begin : begin + 25])
    files = lake.files()
    with compacting_alone(lake.folder) as is_alone:
        assert is_alone
        assert Lake(lake.folder).compact(kept_hours=0) == 0
    assert lake.files() == files
    with ThreadPoolExecutor(4) as threads:
        gone = [threads.submit(Lake(lake.folder).compact, kept_hours=0) for _ in range(4)]
    assert sorted(each.result() for each in gone) == [0, 0, 0, 4]
    assert lake.rows() == 100


def test_a_compaction_sees_what_another_has_done_while_it_waited_for_its_turn(lake, told, monkeypatch):
    for begin in range(0, 100, 25):
        lake.append("e", "PARIS", told["PARIS"][begin : begin + 25])
    slow = Lake(lake.folder)
    stale = [slow._table()]
    monkeypatch.setattr(slow, "_table", lambda: stale.pop() if stale else Lake(lake.folder)._table())
    assert lake.compact() == 4
    assert slow.compact() == 0
    assert lake.rows() == 100


def test_what_compaction_replaces_stays_for_its_readers_and_goes_later(lake, told):
    lake.append("e", "PARIS", told["PARIS"][:50])
    lake.append("e", "PARIS", told["PARIS"][50:])
    before = {Path(unquote(file)) for file in lake.files()}
    lake.compact()
    assert all(path.exists() for path in before)
    lake.append("e", "BERLIN", told["BERLIN"])
    lake.compact(kept_hours=0)
    assert not any(path.exists() for path in before)
    assert lake.rows() == len(told["PARIS"]) + len(told["BERLIN"])
