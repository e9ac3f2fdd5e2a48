"""`lake_hours`: how much a lake has of each hour, from the log of its table alone."""

from __future__ import annotations

from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError

from engine.pipeline.lake.state import HourInLake


def lake_hours(folder: Path, estate: str) -> tuple[HourInLake, ...]:
    """Every hour that has events of the estate, ascending; none where there is no lake."""
    try:
        table = DeltaTable(folder)
    except TableNotFoundError:
        return ()
    found: dict[datetime, list[int]] = {}
    for file in pa.table(table.get_add_actions(flatten=True)).to_pylist():
        if file["partition.estate"] == estate:
            sums = found.setdefault(_hour(file), [0, 0, 0])
            sums[0] += file["num_records"]
            sums[1] += file["size_bytes"]
            sums[2] += 1
    return tuple(
        HourInLake(begins_at=hour, events=events, bytes=size, files=files)
        for hour, (events, size, files) in sorted(found.items())
    )


def _hour(file: dict[str, Any]) -> datetime:
    return datetime.combine(file["partition.trace_date"], time(file["partition.hour"]), UTC)
