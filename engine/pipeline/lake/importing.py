"""`import_trace`: a file of CSV that Profiler or Extended Events has exported, into the lake; nothing of it is lost.

A row that is not understood goes into a table of its own, beside the lake, with the number of its line and the reason.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import TableNotFoundError

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.schema import COLUMNS
from engine.pipeline.lake.trace_file import CLASS, Header, header_of, lines_of, records, text_of
from engine.pipeline.lake.trace_rows import RowReason, RowRefused, Trace, lake_row
from engine.pipeline.lake.writing import Lake, LakeBusy
from engine.pipeline.manifest import Imported, RejectedRows
from engine.pipeline.zones import UTC_NAME, zone_of

UNREADABLE: Final = 4861
BATCH_ROWS: Final = 20_000
"""Rows that are Python objects at the same time, some 3 KiB each; then they are columns, a tenth of that."""
TOLD_LINES: Final = 1_000
ATTEMPTS: Final = 5
REJECTS: Final = pa.schema(
    [
        ("estate", pa.string()),
        ("instance", pa.string()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("reason", pa.string()),
        ("text", pa.string()),
    ]
)


def nobody(done: int, total: int) -> None:
    """Where nobody listens."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where rows come from."""

    estate: str
    instance: str
    file: str
    zone: tzinfo


@dataclass(slots=True)
class _Sorted:
    good: list[pa.Table] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)


def import_trace(
    lake: Lake,
    estate: str,
    instance: str,
    path: Path,
    *,
    name: str = "",
    time_zone: str = UTC_NAME,
    progress: Callable[[int, int], None] = nobody,
) -> Imported:
    """Take a file over, which rejected rows call `name`. What is there already, of this file or another, is not added.

    `time_zone` is an IANA name, that of times without an offset. `progress` hears how many of its lines are read, and
    of how many; what it raises ends the import, and nothing is written then. Raises `LocalProtocolError`: 4861 when it
    cannot be read, 9820 for an unknown zone, 3960 when others write all the time, 5123 when the lake cannot be written.
    """
    zone = zone_of(time_zone)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LocalProtocolError(UNREADABLE, name=name or str(path), detail=error.strerror) from error
    source = f"import {hashlib.sha256(content).hexdigest()}"
    lines = lines_of(text_of(content))
    del content
    found = _sorted(_Place(estate, instance, name or path.name, zone), lines, progress)
    del lines
    # Rejects first: who dies between the two begins again, and finds them written.
    rejected = _reject(rejects_of(lake), f"{estate}/{instance}/{source}", found.bad)
    good = pa.concat_tables([COLUMNS.empty_table(), *found.good])
    written = _take_over(lake, estate, instance, source, good)
    rows = good.num_rows + len(found.bad)
    counted = found.reasons.most_common() if rejected else []
    return Imported(
        rows=rows,
        written=written,
        rejected=rejected,
        known=rows - written - rejected,
        reasons=tuple(RejectedRows(reason=reason, column=column, rows=rows) for (reason, column), rows in counted),
    )


def _take_over(lake: Lake, estate: str, instance: str, source: str, good: pa.Table) -> int:
    """Whoever exports the same instance meanwhile goes first; rows that are imported do not depend on it."""
    for _attempt in range(ATTEMPTS - 1):
        try:
            return lake.take_over(estate, instance, source, good)
        except LakeBusy:
            continue
    return lake.take_over(estate, instance, source, good)


def rejects_of(lake: Lake) -> Path:
    """The folder with the rows that were not understood."""
    return lake.folder.with_name(f"{lake.folder.name}.rejects")


def _sorted(place: _Place, lines: Sequence[str], progress: Callable[[int, int], None]) -> _Sorted:
    found = _Sorted()
    header: Header | None = None
    good: list[dict[str, Any]] = []
    progress(0, len(lines))
    for line, cells, raw in records(lines):
        if header is None:
            header = header_of(cells or [""])
            if header.is_one:
                continue
        try:
            zone = UTC if header.is_utc else place.zone
            good.append(lake_row(place.estate, place.instance, line, _trace(header, cells), zone))
        except RowRefused as refused:
            told = {"file": place.file, "line": line, "reason": str(refused), "text": raw}
            found.bad.append({"estate": place.estate, "instance": place.instance, **told})
            found.reasons[refused.reason, refused.column] += 1
        if line % TOLD_LINES == 0:
            progress(line, len(lines))
        if len(good) >= BATCH_ROWS:
            found.good.append(pa.Table.from_pylist(good, schema=COLUMNS))
            good = []
    found.good.append(pa.Table.from_pylist(good, schema=COLUMNS))
    progress(len(lines), len(lines))
    return found


def _trace(header: Header, cells: list[str] | None) -> Trace:
    if not header.is_one:
        raise RowRefused(RowReason.NO_HEADER, CLASS)
    if cells is None:
        raise RowRefused(RowReason.NO_CSV, "a quote is not closed, or a cell is too large")
    if len(cells) != len(header.names):
        raise RowRefused(RowReason.OTHER_WIDTH, f"{len(cells)}, the header {len(header.names)}")
    return {name: cell for name, cell in zip(header.names, cells, strict=True) if cell not in ("", "NULL")}


def _reject(folder: Path, writer: str, rows: list[dict[str, Any]]) -> int:
    if not rows:
        return 0
    with lake_errors(folder):
        try:
            table: DeltaTable | None = DeltaTable(folder)
        except TableNotFoundError:
            table = None
        if table is not None and table.transaction_version(writer):
            return 0
        write_deltalake(
            folder if table is None else table,
            pa.Table.from_pylist(rows, schema=REJECTS),
            mode="append",
            commit_properties=CommitProperties(app_transactions=[Transaction(writer, len(rows))]),
        )
    return len(rows)
