"""How much a lake has of each hour, beside the rows themselves."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from pathlib import Path

from engine.pipeline import lake_hours
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
