"""`lake_hours`: how much a lake has of each hour, from the log of its table alone."""

from __future__ import annotations

from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError

from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.state import HourInLake

FILE_BYTES: Final = 128 * 1024 * 1024
"""What compaction makes of many small files, about."""


def lake_hours(folder: Path, estate: str) -> tuple[HourInLake, ...]:
    """Every hour that has events of the estate, ascending; none where there is no lake. Raises `LakeUnusable`."""
    found: dict[datetime, list[int]] = {}
    with lake_errors(folder):
        for file in _files(folder):
            if file["partition.estate"] == estate:
                sums = found.setdefault(hour_of(file), [0, 0, 0, 0])
                sums[0] += file["num_records"]
                sums[1] += file["size_bytes"]
                sums[2] += 1
                sums[3] += is_small(file, FILE_BYTES)
    return tuple(
        HourInLake(begins_at=hour, events=events, bytes=size, files=files, small_files=small)
        for hour, (events, size, files, small) in sorted(found.items())
    )


def _files(folder: Path) -> list[dict[str, Any]]:
    try:
        table = DeltaTable(folder)
    except TableNotFoundError:
        return []
    files: list[dict[str, Any]] = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    return files


def hour_of(file: dict[str, Any]) -> datetime:
    """When the hour begins that the folder of a file is for."""
    return datetime.combine(file["partition.trace_date"], time(file["partition.hour"]), UTC)


def is_small(file: dict[str, Any], file_bytes: int) -> bool:
    """Whether a file is worth being put together with others, of `file_bytes` each."""
    return bool(file["size_bytes"] < file_bytes / 2)
