"""`import_trace`: a file of CSV that Profiler or Extended Events has exported, into the lake; nothing of it is lost.

A row that is not understood goes into a table of its own, beside the lake, with the number of its line and the reason.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path
from random import SystemRandom
from typing import Any, Final, TypeVar

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from engine.core.vocabulary.errors import LocalProtocolError
from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.schema import COLUMNS
from engine.pipeline.lake.trace_file import CLASS, Header, header_of, lines_of, records, text_of
from engine.pipeline.lake.trace_rows import RowReason, RowRefused, Trace, lake_row
from engine.pipeline.lake.writing import Lake, LakeBusy, writer_of
from engine.pipeline.manifest import Imported, RejectedRows
from engine.pipeline.zones import UTC_NAME, zone_of

UNREADABLE: Final = 4861
BATCH_ROWS: Final = 20_000
"""Rows that are Python objects at the same time, some 3 KiB each; then they are columns, a tenth of that."""
TOLD_ROWS: Final = 1_000
PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 1.0, 2.0, 2.0)
"""Seconds between attempts; others export in batches of less than a second."""
_chance: Final = SystemRandom()
Written = TypeVar("Written")
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
_SAME_REJECT: Final = ["line", "text"]
"""What rows of one instance have in common that are one row of a trace, which was sent again, or longer."""


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
    lines = lines_of(text_of(content))
    del content
    place = _Place(estate, instance, name or path.name, zone)
    found = _sorted(place, lines, progress)
    del lines
    good = pa.concat_tables([COLUMNS.empty_table(), *found.good])
    # Rejects first: who dies between the two begins again, and finds them kept.
    _in_turn(lambda: _reject(rejects_of(lake), place, found.bad))
    written = _in_turn(lambda: lake.take_over(estate, instance, good))
    counted = found.reasons.most_common()
    return Imported(
        rows=good.num_rows + len(found.bad),
        written=written,
        rejected=len(found.bad),
        known=good.num_rows - written,
        reasons=tuple(RejectedRows(reason=reason, column=column, rows=rows) for (reason, column), rows in counted),
    )


def _in_turn(write: Callable[[], Written]) -> Written:
    """Whoever writes of the same instance meanwhile goes first; what is imported does not depend on it."""
    for pause in PAUSES:
        try:
            return write()
        except LakeBusy:
            # Not all who wait at the same moment.
            time.sleep(pause * _chance.uniform(0.5, 1.5))
    return write()


def rejects_of(lake: Lake) -> Path:
    """The folder with the rows that were not understood."""
    return lake.folder.with_name(f"{lake.folder.name}.rejects")


def _sorted(place: _Place, lines: Sequence[str], progress: Callable[[int, int], None]) -> _Sorted:
    found = _Sorted()
    header: Header | None = None
    good: list[dict[str, Any]] = []
    progress(0, len(lines))
    for number, (line, cells, raw) in enumerate(records(lines)):
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
        if number % TOLD_ROWS == 0:
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


def _reject(folder: Path, place: _Place, rows: list[dict[str, Any]]) -> None:
    """Keep rows that were not understood, each once, however often they are sent. Raises `LakeBusy`, `LakeUnusable`."""
    if not rows:
        return
    writer = writer_of(place.estate, place.instance)
    with lake_errors(folder):
        table = _rejects_table(folder)
        of_instance = (ds.field("estate") == place.estate) & (ds.field("instance") == place.instance)
        known = table.to_pyarrow_dataset().to_table(_SAME_REJECT, filter=of_instance)
        found = pa.Table.from_pylist(rows, schema=REJECTS)
        known = known.cast(pa.schema([REJECTS.field(name) for name in _SAME_REJECT]))
        fresh = found.join(known, _SAME_REJECT, join_type="left anti").select(REJECTS.names)
        if not fresh.num_rows:
            return
        mark = Transaction(writer, (table.transaction_version(writer) or 0) + fresh.num_rows)
        try:
            write_deltalake(table, fresh, mode="append", commit_properties=CommitProperties(app_transactions=[mark]))
        except CommitFailedError as error:
            raise LakeBusy(writer) from error


def _rejects_table(folder: Path) -> DeltaTable:
    if not DeltaTable.is_deltatable(str(folder)):
        with suppress(CommitFailedError):
            return DeltaTable.create(folder, REJECTS, mode="ignore")
    return DeltaTable(folder)
