"""A file of CSV that Profiler or Extended Events has exported: its text, its columns, and its rows with their lines."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

RECORD_LINES_MAX: Final = 1_000
"""Lines of one row; a quote that nobody closes shall not swallow the rest of the file."""
_WINDOW_LINES: Final = 10 * RECORD_LINES_MAX
COLUMNS_MAX: Final = 1_024
"""Of a trace; Profiler has some seventy."""
CLASS: Final = "EventClass"
"""The column that every trace has: it tells a header from a row."""

_TIME: Final = "StartTime"
_COLUMNS: Final = (
    *(CLASS, "EventSubClass", _TIME, "EventSequence", "DatabaseName", "GUID", "ObjectName", "RoleName"),
    *("MethodName", "BigintData1", "BigintData2", "TextData", "Error", "Priority", "FileName", "OwnerName"),
    *("TargetUserName", "DBUserName", "IndexID", "ObjectID", "Success", "TargetLoginName", "IntegerData"),
)
_IN_UTC: Final = "timestamp (utc)"
_ALIASES: Final = {name.lower(): name for name in _COLUMNS} | {
    "name": CLASS,
    "timestamp": _TIME,
    _IN_UTC: _TIME,
    "event_sequence": "EventSequence",
    "database_name": "DatabaseName",
}
"""Columns of traces by their names in small letters, and by what Extended Events call them."""


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file, each by a name of its own."""

    names: tuple[str, ...]
    is_utc: bool
    """Whether the file says of its times that they are UTC."""

    @property
    def is_one(self) -> bool:
        """Whether this is the header of a trace, and not the first row of a file that has none."""
        return CLASS in self.names


def header_of(cells: Sequence[str]) -> Header:
    """What the first row of a file says. Where it has local times and UTC, UTC is the time.

    A row of more than `COLUMNS_MAX` cells is no header of a trace.
    """
    if len(cells) > COLUMNS_MAX:
        return Header((), is_utc=False)
    told = [cell.strip() for cell in cells]
    is_utc = _IN_UTC in (each.lower() for each in told)
    names: dict[str, None] = {}
    numbers: Counter[str] = Counter()
    for each in told:
        name = _ALIASES.get(each.lower(), each)
        is_local = is_utc and name == _TIME and each.lower() != _IN_UTC
        names[_unlike(names, f"{each} (local)" if is_local else name, numbers)] = None
    return Header(tuple(names), is_utc)


def _unlike(others: Container[str], name: str, numbers: Counter[str]) -> str:
    """The name, with a number where it is taken: every value of a column that is named twice is kept.

    `numbers` are those that were tried for each name.
    """
    found = name
    while found in others:
        numbers[name] += 1
        found = f"{name} ({numbers[name] + 1})"
    return found


@contextmanager
def lines_of(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a file, read as they are asked for. Raises `OSError`.

    Profiler writes UTF-16, others UTF-8; a byte that is no text is shown, and is the business of its row. Only a
    carriage return and a line feed end a line of CSV.
    """
    with path.open("rb") as file:
        is_wide = file.read(2) in (b"\xff\xfe", b"\xfe\xff")
    encoding = "utf-16" if is_wide else "utf-8-sig"
    with path.open(encoding=encoding, errors="backslashreplace", newline="") as text:
        yield text


def records(lines: Iterable[str]) -> Iterator[tuple[int, list[str] | None, str]]:
    """Number of the first line, cells and text of each row; no cells where it is none of CSV.

    Of several lines that make no row together, or one that is not as wide as the first row, the first is taken alone,
    and the others are read again. No more than `_WINDOW_LINES` are held.
    """
    source, window, before, place = iter(lines), list[str](), 0, 0
    is_over = False
    width = None
    while True:
        if len(window) - place < RECORD_LINES_MAX and not is_over:
            del window[:place]
            before, place = before + place, 0
            window += islice(source, _WINDOW_LINES - len(window))
            is_over = len(window) < _WINDOW_LINES
        if place == len(window):
            return
        end, cells = _record(window, place)
        if end > place + 1 and (cells is None or (width is not None and len(cells) != width)):
            end, cells = place + 1, None
        raw = "".join(window[place:end])
        if raw.strip():
            width = len(cells or [""]) if width is None else width
            yield before + place + 1, cells, raw.rstrip("\r\n")
        place = end


def _record(lines: Sequence[str], place: int) -> tuple[int, list[str] | None]:
    quotes = 0
    for end in range(place + 1, min(place + RECORD_LINES_MAX, len(lines)) + 1):
        quotes += lines[end - 1].count('"')
        if quotes % 2 == 0:
            try:
                # Strict: else a quote that nobody closes would end at the next one that begins a cell.
                (cells,) = csv.reader(lines[place:end], strict=True)
            except (csv.Error, ValueError):
                return end, None
            return end, cells
    return place + 1, None
