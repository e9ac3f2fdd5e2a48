"""WHERE: a filter's text as a value of its column's type, and rows held against it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from engine.core.exchange.system_views import Cell, ColumnFilter
from engine.core.system_views.definition import Column, SystemView
from engine.core.system_views.reading import ViewReader
from engine.core.vocabulary.errors import LocalProtocolError

RowTest = Callable[[ViewReader, Any], bool]

NO_SUCH_COLUMN, CONVERSION_FAILED = 207, 245

_INTEGER_BITS: Final = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


def find_column(view: SystemView[Any], name: str) -> Column[Any]:
    """A column by its name in any letter case, or 207."""
    folded = name.lower()
    for column in view.columns:
        if column.name == folded:
            return column
    raise LocalProtocolError(NO_SUCH_COLUMN, name=view.name, column=name)


def wanted_value(view: SystemView[Any], column: Column[Any], text: str | None) -> Cell:
    """What the cells of a column are compared with, or 245; None looks for NULL."""
    if text is None:
        return None
    kind = column.type.partition("(")[0]
    try:
        return _PARSERS.get(kind, str)(text) if kind not in _INTEGER_BITS else _integer(text, _INTEGER_BITS[kind])
    except (ValueError, OverflowError):
        raise LocalProtocolError(
            CONVERSION_FAILED, name=view.name, column=column.name, expected=column.type, value=text
        ) from None


def row_test(view: SystemView[Any], each: ColumnFilter) -> RowTest:
    """Whether a row of the view passes a filter. Errors: 207, 245."""
    column = find_column(view, each.column)
    wanted = wanted_value(view, column, each.value)
    cell = column.cell
    if not isinstance(wanted, str):
        # Exact types, because in Python True equals 1; a column has one type only, so this costs nothing.
        return lambda reader, row: cell(reader, row) == wanted
    wanted = wanted.rstrip(" ")
    if column.name.endswith("broker_instance"):
        wanted = wanted.upper()

    def is_equal(reader: ViewReader, row: Any) -> bool:
        """Blanks at the end do not count, as in every comparison of SQL."""
        text = cell(reader, row)
        return isinstance(text, str) and text.rstrip(" ") == wanted

    return is_equal


def _integer(text: str, bits: int) -> int:
    if "_" in text:
        raise ValueError(text)
    number = int(text)
    low, high = (0, 2**bits) if bits == _INTEGER_BITS["tinyint"] else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if not low <= number < high:
        raise OverflowError(text)
    return number


def _bit(text: str) -> bool:
    try:
        return {"0": False, "1": True, "false": False, "true": True}[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def _datetime(text: str) -> float:
    read = datetime.fromisoformat(text)
    return (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp()


def _bytes(text: str) -> bytes:
    if not text.lower().startswith("0x"):
        raise ValueError(text)
    return bytes.fromhex(text[2:])


_PARSERS: Final[dict[str, Callable[[str], Cell]]] = {
    "uniqueidentifier": UUID,
    "bit": _bit,
    "datetime": _datetime,
    "binary": _bytes,
    "varbinary": _bytes,
}
