"""`import_trace`: a file of CSV that Profiler or Extended Events has exported, into the lake; nothing of it is lost.

A row that is not understood goes into a table of its own, beside the lake, with the number of its line and the reason.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import TableNotFoundError

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.schema import COLUMNS
from engine.pipeline.lake.trace_rows import RowReason, RowRefused, Trace, lake_row
from engine.pipeline.lake.writing import Lake, LakeBusy
from engine.pipeline.manifest import Imported, RejectedRows

UNREADABLE: Final = 4861
RECORD_LINES_MAX: Final = 1_000
"""Lines of one row; a quote that nobody closes shall not swallow the rest of the file."""
BATCH_ROWS: Final = 20_000
"""Rows that are Python objects at the same time, some 3 KiB each; then they are columns, a tenth of that."""
TOLD_LINES: Final = 1_000
ATTEMPTS: Final = 5
_ALIASES: Final = {
    "name": "EventClass",
    "timestamp": "StartTime",
    "timestamp (utc)": "StartTime",
    "event_sequence": "EventSequence",
}
"""What Extended Events call the columns of traces."""
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
    progress: Callable[[int, int], None] = nobody,
) -> Imported:
    """Take a file over, which rejected rows call `name`. The same content again adds nothing.

    `progress` hears how many of its lines are read, and of how many; what it raises ends the import, and nothing is
    written then. Raises `LocalProtocolError`: 4861 when it cannot be read, 3960 when others write all the time, 5123
    when the lake cannot be written.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LocalProtocolError(UNREADABLE, name=name or str(path), detail=error.strerror) from error
    source = f"import {hashlib.sha256(content).hexdigest()}"
    text = _text_of(content)
    del content
    found = _sorted(estate, instance, name or path.name, text, progress)
    del text
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


def _text_of(content: bytes) -> str:
    """Profiler writes UTF-16, others UTF-8; a byte that is no text is shown, and is the business of its row."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "backslashreplace")
    return content.decode("utf-8-sig", "backslashreplace")


def _sorted(estate: str, instance: str, file: str, text: str, progress: Callable[[int, int], None]) -> _Sorted:
    found = _Sorted()
    # Not `splitlines`: only these two characters end a line of CSV.
    lines = list(io.StringIO(text, newline=""))
    names: list[str] = []
    widths: list[int] = []
    good: list[dict[str, Any]] = []
    progress(0, len(lines))
    for line, cells, raw in _records(lines, widths):
        if not names:
            names = [_ALIASES.get(name.strip().lower(), name.strip()) for name in cells or [""]]
            widths.append(len(names))
            continue
        try:
            good.append(lake_row(estate, instance, line, _trace(names, cells)))
        except RowRefused as refused:
            told = {"file": file, "line": line, "reason": str(refused), "text": raw}
            found.bad.append({"estate": estate, "instance": instance, **told})
            found.reasons[refused.reason, refused.column] += 1
        if line % TOLD_LINES == 0:
            progress(line, len(lines))
        if len(good) >= BATCH_ROWS:
            found.good.append(pa.Table.from_pylist(good, schema=COLUMNS))
            good = []
    found.good.append(pa.Table.from_pylist(good, schema=COLUMNS))
    progress(len(lines), len(lines))
    return found


def _trace(names: list[str], cells: list[str] | None) -> Trace:
    if cells is None:
        raise RowRefused(RowReason.NO_CSV, "a quote is not closed, or a cell is too large")
    if len(cells) != len(names):
        raise RowRefused(RowReason.OTHER_WIDTH, f"{len(cells)}, the header {len(names)}")
    return {name: cell for name, cell in zip(names, cells, strict=True) if cell not in ("", "NULL")}


def _records(lines: list[str], widths: list[int]) -> Iterator[tuple[int, list[str] | None, str]]:
    """Number of the first line, cells and text of each row; no cells where it is none of CSV. `widths` is the header's.

    Of several lines that make no row together, the first is taken alone, and the others are read again.
    """
    place = 0
    while place < len(lines):
        end, cells = _record(lines, place)
        if end > place + 1 and (cells is None or (widths and len(cells) != widths[0])):
            end, cells = place + 1, None
        raw = "".join(lines[place:end])
        if raw.strip():
            yield place + 1, cells, raw.rstrip("\r\n")
        place = end


def _record(lines: list[str], place: int) -> tuple[int, list[str] | None]:
    quotes = 0
    for end in range(place + 1, min(place + RECORD_LINES_MAX, len(lines)) + 1):
        quotes += lines[end - 1].count('"')
        if quotes % 2 == 0:
            try:
                (cells,) = csv.reader(lines[place:end])
            except (csv.Error, ValueError):
                return end, None
            return end, cells
    return place + 1, None


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
