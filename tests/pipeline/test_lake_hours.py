"""How much a lake has of each hour, beside the rows themselves."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from engine.pipeline import lake_fingerprint, lake_hours
from engine.pipeline.lake.writing import Lake
from tests.pipeline.drawn_events import drawn_estate


def test_hours_are_those_of_the_rows_of_one_estate(tmp_path: Path):
    assert lake_hours(tmp_path / "none", "e") == ()
    lake = Lake(tmp_path / "lake")
    for instance, events in drawn_estate(0, 2).items():
        lake.append("e", instance, events)
        lake.append("another", instance, events[:3])
    rows = lake.read().select(["estate", "event_time"]).to_pylist()
    hours = Counter(
        row["event_time"].astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        for row in rows
        if row["estate"] == "e"
    )
    found = lake_hours(lake.folder, "e")
    assert [(each.begins_at, each.events) for each in found] == sorted(hours.items())
    assert sum(each.files for each in found) == len(lake.files("e"))
    assert sum(each.bytes for each in found) == sum(
        Path(file.removeprefix("file://")).stat().st_size for file in lake.files("e")
    )


def test_a_fingerprint_changes_with_the_files_of_its_estate_and_its_time(tmp_path: Path):
    lake = Lake(tmp_path / "lake")
    (first, events), (second, others) = list(drawn_estate(0, 1).items())[:2]
    lake.append("e", first, events)
    first_at = min(row["event_time"] for row in lake.read().to_pylist())
    spans = {
        "all": None,
        # The log has whole milliseconds, rounded.
        "before": first_at - timedelta(milliseconds=5),
        "some": first_at + timedelta(microseconds=1),
    }

    def found() -> dict[str, str]:
        return {name: lake_fingerprint(lake.folder, "e", until) for name, until in spans.items()}

    def changed(before: dict[str, str]) -> set[str]:
        return {name for name, now in found().items() if now != before[name]}

    before = found()
    assert before["before"] == lake_fingerprint(tmp_path / "none", "e")
    assert len(set(before.values())) == len(spans), "there are two hours"
    lake.append("another", first, events)
    assert not changed(before)
    assert lake_fingerprint(lake.folder, "another") not in before.values()
    lake.append("e", second, others)
    assert changed(before) >= {"all"}
    assert "before" not in changed(before)
    before = found()
    assert lake.compact("e") > 0
    assert changed(before) >= {"all"}


def test_files_of_later_times_alone_are_not_named(tmp_path: Path):
    lake = Lake(tmp_path / "lake")
    told = drawn_estate(0, 3)
    for instance, events in told.items():
        lake.append("e", instance, events)
    firsts: dict[tuple[str, int], float] = {}
    for instance, events in told.items():
        for _number, event in events:
            hour = (instance, int(event.at // 3600))
            firsts[hour] = min(event.at, firsts.get(hour, event.at))
    for until in (min(firsts.values()) - 0.005, *(at + 0.001 for at in firsts.values())):
        named = lake.files("e", datetime.fromtimestamp(until, UTC))
        assert len(named) == sum(at < until for at in firsts.values())
    assert len(lake.files("e", datetime.max.replace(tzinfo=UTC))) == len(lake.files("e")) == len(firsts)
