"""Values: how each SQL type is kept in tables in memory, conversion from type to type, and cells for people.

A uniqueidentifier is kept as text in capitals, a moment as in `moments`, a bit as 0 or 1, exact numbers with decimals
as floating ones, everything else as itself. NULL is None, and converts to NULL of every type.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final
from uuid import UUID

from engine.core.exchange.system_views import Cell, python_type
from engine.core.vocabulary.errors import number_text
from engine.tsql.console import moments, xml_values
from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.texts import check_length, decoded, encoded
from engine.tsql.console.types import BINARIES, EXACT, INTEGERS, MAX, MOMENTS, TEXTS, UNICODE, VARBINARY, SqlType

Value = None | int | float | str | bytes

_INTEGER: Final = re.compile(r"\s*+[+-]?+\d++\s*+", re.ASCII)
NUMBER: Final = re.compile(r"\s*+[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+\s*+", re.ASCII)
"""A number as texts have it."""
_GUID: Final = re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE | re.ASCII)
_SINGLE_BYTE: Final = "cp1252"
DIGITS_MAX: Final = 30


def convert(value: Value, source: SqlType, target: SqlType, style: int | None = None) -> Value:
    """A value of one type as another one. Errors: 241, 245, 8114, 8115, 8169, 9400."""
    if value is None or source == target:
        return value
    if target.base in TEXTS:
        return _as_text(value, source, target, style)
    if target.base == "xml":
        return _as_xml(value, source)
    if target.base in BINARIES:
        return _as_bytes(value, source, target)
    return _CONVERTERS[target.base](value, source, target)


def to_text(value: Value, source: SqlType, style: int | None = None) -> str | None:
    """A value as CONCAT, PRINT and messages show it."""
    text = convert(value, source, SqlType("nvarchar", MAX), style)
    assert text is None or isinstance(text, str), "a text type gives texts"
    return text


def _as_text(value: Value, source: SqlType, target: SqlType, style: int | None) -> str:
    text = _written(value, source, target, style)
    if target.length is None or target.length == MAX or len(text) <= target.length:
        return text.ljust(target.length or 0) if target.base in ("char", "nchar") else text
    if source.is_number:
        raise failed(8115, expected=str(target))
    return text[: target.length]


def _written(value: Value, source: SqlType, target: SqlType, style: int | None) -> str:
    if isinstance(value, bytes):
        if style in (1, 2):
            check_length(2 * len(value) + 2)
            return ("0x" if style == 1 else "") + value.hex().upper()
        if target.base in UNICODE:
            return decoded(value[: len(value) // 2 * 2], "utf-16-le")
        return decoded(value, _SINGLE_BYTE)
    if isinstance(value, str):
        if source.base not in MOMENTS:
            return value
        default = {"datetime": 0, "smalldatetime": 0, "date": 23, "time": 14}.get(source.base, 21)
        try:
            return moments.written(value, default if style is None else style)
        except ValueError:
            raise failed(281, value=style or 0) from None
    return _number_text(value, source)


def _number_text(value: int | float | None, source: SqlType) -> str:
    if isinstance(value, float):
        if source.base in EXACT:
            return f"{value:.{4 if 'money' in source.base else source.scale}f}"
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        return f"{value:g}" if source.base == "float" else repr(value)
    return number_text(value or 0)


def _as_xml(value: Value, source: SqlType) -> str:
    text = xml_values.text_of(value) if isinstance(value, bytes) else str(value)
    if source.base == "xml":
        return text
    try:
        xml_values.check(text)
    except xml_values.NotWellFormed as error:
        raise failed(9400, line=error.line, column=error.column, detail=error.detail) from None
    return text


def _as_bytes(value: Value, source: SqlType, target: SqlType) -> bytes:
    body = body_of(value, source)
    if target.length not in (None, MAX):
        body = body[: target.length]
        if target.base == "binary":
            body = body.ljust(target.length or 0, b"\0")
    return body


def body_of(value: Value, source: SqlType) -> bytes:
    """A value as the bytes that SEND makes of it: varbinary(max)."""
    match value:
        case bytes():
            return value
        case str() if source.base == "uniqueidentifier":
            return UUID(value).bytes_le
        case str() if source.base == "xml":
            return b"\xff\xfe" + encoded(value, "utf-16-le")
        case str() if source.base in UNICODE:
            return encoded(value, "utf-16-le")
        case str():
            return encoded(value, _SINGLE_BYTE)
        case int():
            size = {"tinyint": 1, "bit": 1, "smallint": 2, "bigint": 8}.get(source.base, 4)
            return (value & ((1 << (8 * size)) - 1)).to_bytes(size, "big")
        case _:
            raise _misfit(value, source, VARBINARY)


def _misfit(value: Value, source: SqlType, target: SqlType) -> StatementFailed:
    """A value that a type does not take."""
    shown = "0x" + value[:16].hex().upper() if isinstance(value, bytes) else str(value)
    return failed(8114, value=shown, found=str(source), expected=str(target))


def _as_integer(value: Value, source: SqlType, target: SqlType) -> int:
    low, high = INTEGERS[target.base]
    if isinstance(value, str):
        if source.base in MOMENTS or not (_INTEGER.fullmatch(value) or not value.strip()) or len(value) > DIGITS_MAX:
            raise failed(245, value=value, expected=str(target))
        number = int(value) if value.strip() else 0
    elif isinstance(value, bytes):
        number = int.from_bytes(value[-8:], "big", signed=len(value) >= 8)
        if target.base == "int" and number >= 2**31:
            number -= 2**32
    else:
        number = math.trunc(_finite(value or 0, target))
    if not low <= number <= high:
        raise failed(8115, expected=str(target))
    return number


def _finite(value: float, target: SqlType) -> float:
    if not math.isfinite(value):
        raise failed(8115, expected=str(target))
    return value


def _as_number(value: Value, source: SqlType, target: SqlType) -> float | int:
    if isinstance(value, str):
        if not NUMBER.fullmatch(value) or source.base in MOMENTS:
            raise _misfit(value, source, target)
        value = float(value)
    if isinstance(value, bytes) or value is None:
        raise _misfit(value, source, target)
    if target.base not in EXACT:
        return float(_finite(value, target))
    scale = 4 if "money" in target.base else target.scale
    number = round(float(_finite(value, target)), scale)
    if abs(number) >= 10.0 ** ((target.length or 19) - scale):
        raise failed(8115, expected=str(target))
    return number


def _as_bit(value: Value, _source: SqlType, target: SqlType) -> int:
    if isinstance(value, str):
        word = value.strip()
        known = {"true": 1, "false": 0, "": 0}.get(word.lower()) if len(word) <= len("false") else None
        if known is None and not _INTEGER.fullmatch(value):
            raise failed(245, value=value, expected=str(target))
        return int(bool(word.strip("+-0"))) if known is None else known
    return int(bool(value.strip(b"\0")) if isinstance(value, bytes) else bool(value))


def _as_guid(value: Value, source: SqlType, target: SqlType) -> str:
    if isinstance(value, bytes) and len(value) >= 16:
        return str(UUID(bytes_le=value[:16])).upper()
    if isinstance(value, str) and source.base in TEXTS:
        text = value.strip()[:38]
        if not _GUID.fullmatch(text):
            raise failed(8169, value=value)
        return text.strip("{}").upper()
    raise _misfit(value, source, target)


def _as_moment(value: Value, source: SqlType, target: SqlType) -> str:
    if not isinstance(value, str):
        raise _misfit(value, source, target)
    try:
        text = moments.kept(moments.moment_of(value))
    except (ValueError, OverflowError):
        raise failed(241, value=value) from None
    if target.base == "date":
        return text[:10] + " 00:00:00.000"
    return "1900-01-01" + text[10:] if target.base == "time" else text


_CONVERTERS: Final[dict[str, Callable[[Value, SqlType, SqlType], Value]]] = {
    **dict.fromkeys(INTEGERS, _as_integer),
    **dict.fromkeys(EXACT, _as_number),
    **dict.fromkeys(("float", "real"), _as_number),
    **dict.fromkeys(MOMENTS, _as_moment),
    "bit": _as_bit,
    "uniqueidentifier": _as_guid,
}


def stored(cell: Cell) -> Value:
    """A cell of a system view as it is kept; a datetime is for whoever knows the column."""
    match cell:
        case bool():
            return int(cell)
        case UUID():
            return str(cell).upper()
        case str():
            return cell.encode("utf-8", "backslashreplace").decode()
        case _:
            return cell


def shown(value: Value, declared: SqlType) -> Cell:
    """What is kept as a cell for people."""
    if value is None:
        return None
    if isinstance(value, str) and declared.base in MOMENTS:
        try:
            return moments.seconds_of(value)
        except (ValueError, OverflowError):
            return value
    if isinstance(value, str) and declared.base == "uniqueidentifier" and _GUID.fullmatch(value):
        return UUID(value)
    return bool(value) if declared.base == "bit" and isinstance(value, int) else value


def type_of(value: Value) -> SqlType:
    """The type of a value of which nothing else is known."""
    match value:
        case float():
            return SqlType("float")
        case str():
            return SqlType("nvarchar", MAX)
        case bytes():
            return SqlType("varbinary", MAX)
        case int() if not -(2**31) <= value < 2**31:
            return SqlType("bigint")
        case _:
            return SqlType("int")


def is_cell_type(name: str) -> bool:
    """Whether readers of system views know a type under this name."""
    try:
        python_type(name)
    except KeyError:
        return False
    return True
