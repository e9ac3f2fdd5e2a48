"""A file of CSV that Profiler or Extended Events has exported: its text, its columns, and its rows with their lines."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

RECORD_LINES_MAX: Final = 1_000
"""Lines of one row; a quote that nobody closes shall not swallow the rest of the file."""
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


def text_of(content: bytes) -> str:
    """Profiler writes UTF-16, others UTF-8; a byte that is no text is shown, and is the business of its row."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "backslashreplace")
    return content.decode("utf-8-sig", "backslashreplace")


def lines_of(text: str) -> list[str]:
    """Not `splitlines`: only these two characters end a line of CSV."""
    return list(io.StringIO(text, newline=""))


def records(lines: Sequence[str]) -> Iterator[tuple[int, list[str] | None, str]]:
    """Number of the first line, cells and text of each row; no cells where it is none of CSV.

    Of several lines that make no row together, or one that is not as wide as the first row, the first is taken alone,
    and the others are read again.
    """
    place, width = 0, None
    while place < len(lines):
        end, cells = _record(lines, place)
        if end > place + 1 and (cells is None or (width is not None and len(cells) != width)):
            end, cells = place + 1, None
        raw = "".join(lines[place:end])
        if raw.strip():
            width = len(cells or [""]) if width is None else width
            yield place + 1, cells, raw.rstrip("\r\n")
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
