"""`sorted_trace`: the rows of a file of CSV that Profiler or Extended Events has exported, understood or rejected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.schema import COLUMNS
from engine.pipeline.lake.trace_file import CLASS, Header, header_of, lines_of, records
from engine.pipeline.lake.trace_rows import RowReason, RowRefused, Trace, lake_row

UNREADABLE: Final = 4861
BATCH_ROWS: Final = 20_000
"""Rows that are Python objects at the same time, some 3 KiB each; then they are columns, a tenth of that."""
TOLD_ROWS: Final = 1_000
REJECTS_MAX: Final = 10_000
"""Rejected rows of one file that are kept; of the others there is the number."""

Progress = Callable[[int, int], None]
"""Hears how many lines are read, and of how many; what it raises ends the work."""


def nobody(done: int, total: int) -> None:
    """Where nobody listens."""


@dataclass(frozen=True, slots=True)
class TracePlace:
    """Where rows come from."""

    estate: str
    instance: str
    file: str
    """What rejected rows call it."""
    zone: tzinfo
    """Of times without an offset."""


@dataclass(slots=True)
class SortedTrace:
    """All rows of a file."""

    good: pa.Table
    """Rows of `COLUMNS`."""
    bad: list[dict[str, Any]] = field(default_factory=list)
    """Rows of `REJECTS`, the first `REJECTS_MAX`."""
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many were rejected, by reason and column."""


def sorted_trace(place: TracePlace, path: Path, progress: Progress) -> SortedTrace:
    """Read a file. Raises `LocalProtocolError` (4861) when it cannot be read, and what `progress` raises."""
    try:
        with lines_of(path) as lines:
            total = sum(1 for _ in lines)
        with lines_of(path) as lines:
            return _sorted(place, lines, total, progress)
    except OSError as error:
        name = str(path) if place.file == path.name else place.file
        raise LocalProtocolError(UNREADABLE, name=name, detail=error.strerror) from error


def _sorted(place: TracePlace, lines: Iterable[str], total: int, progress: Progress) -> SortedTrace:
    found = SortedTrace(COLUMNS.empty_table())
    batches: list[pa.Table] = [found.good]
    header: Header | None = None
    good: list[dict[str, Any]] = []
    progress(0, total)
    for number, (line, cells, raw) in enumerate(records(lines)):
        if header is None:
            header = header_of(cells or [""])
            if header.is_one:
                continue
        try:
            zone = UTC if header.is_utc else place.zone
            good.append(lake_row(place.estate, place.instance, line, _trace(header, cells), zone))
        except RowRefused as refused:
            if len(found.bad) < REJECTS_MAX:
                told = {"file": place.file, "line": line, "reason": str(refused), "text": raw}
                found.bad.append({"estate": place.estate, "instance": place.instance, **told})
            found.reasons[refused.reason, refused.column] += 1
        if number % TOLD_ROWS == 0:
            progress(line, total)
        if len(good) >= BATCH_ROWS:
            batches.append(pa.Table.from_pylist(good, schema=COLUMNS))
            good = []
    batches.append(pa.Table.from_pylist(good, schema=COLUMNS))
    found.good = pa.concat_tables(batches)
    progress(total, total)
    return found


def _trace(header: Header, cells: list[str] | None) -> Trace:
    if not header.is_one:
        raise RowRefused(RowReason.NO_HEADER, CLASS)
    if cells is None:
        raise RowRefused(RowReason.NO_CSV, "a quote is not closed, or a cell is too large")
    if len(cells) != len(header.names):
        raise RowRefused(RowReason.OTHER_WIDTH, f"{len(cells)}, the header {len(header.names)}")
    return {name: cell for name, cell in zip(header.names, cells, strict=True) if cell not in ("", "NULL")}
