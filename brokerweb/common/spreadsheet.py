"""Comma-separated values that a spreadsheet reads as they are meant."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

_FORMULA: Final = re.compile(r"[\s\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r]")
_AFTER_SEPARATOR: Final = re.compile(r"([;\t,])(?=[\s\ufeff]{0,20}[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Where a spreadsheet that separates cells by another sign begins a cell with a formula."""


class _Line:
    """What the csv module writes its lines into."""

    def write(self, text: str) -> str:
        return text


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """A head line and a line for each row, made while they are sent."""
    writer = csv.writer(_Line())
    # Spreadsheets take a file without this mark for one in their own code page.
    yield "\ufeff" + str(writer.writerow(columns))
    for row in rows:
        yield str(writer.writerow([harmless(cell_text(cell)) for cell in row]))


def cell_text(value: Any) -> str:
    """A value as the text of a cell."""
    match value:
        case None:
            return ""
        case str():
            return value
        case datetime():
            return value.isoformat()
        case _:
            return json.dumps(value, ensure_ascii=False)


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: names are given by strangers, and formulas are carried out."""
    inside = _AFTER_SEPARATOR.sub(r"\1'", cell)
    return f"'{inside}" if _FORMULA.match(cell) else inside
