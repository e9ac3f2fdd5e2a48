"""Scalar functions of T-SQL that need nothing but their arguments, each with what it takes and gives.

Arguments come converted to the kinds that a function names; NULL in gives NULL out unless a function says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec

from engine.tsql.console.failing import failed
from engine.tsql.console.moment_functions import date_add, date_diff, date_name, date_part
from engine.tsql.console.texts import changed, check_length, folded, joined, places, replaced
from engine.tsql.console.types import (
    BIGINT,
    DATETIME,
    FLOAT,
    INT,
    NVARCHAR,
    UNIQUEIDENTIFIER,
    VARBINARY,
    VARCHAR,
    SqlType,
    sql_type,
)
from engine.tsql.console.values import NUMBER, Value, convert

KINDS: Final = {
    "s": NVARCHAR,
    "i": BIGINT,
    "f": FLOAT,
    "m": DATETIME,
    "g": UNIQUEIDENTIFIER,
    "b": VARBINARY,
}
"""What a letter of `Scalar.takes` converts to. `x` takes anything, `p` is a part of a date, a bare word."""


class Scalar(msgspec.Struct, frozen=True, kw_only=True):
    """A scalar function."""

    takes: str
    """A letter for each argument; the last one is that of all that follow where there may be many."""
    gives: SqlType | None
    """The type of its value; None is that of its first argument that is no part of a date."""
    call: Callable[..., Value]
    optional: int = 0
    """How many arguments may be missing."""
    many: bool = False
    """Whether there may be more than two values at the end, which are taken two by two: so no call holds them all.
    What it makes of NULL alone is an empty text."""
    takes_null: bool = False


def _substring(text: str, start: int, length: int) -> str:
    if length < 0:
        raise failed(537)
    first = max(start - 1, 0)
    return text[first : max(start - 1 + length, 0)]


def _side(text: str, length: int) -> int:
    if length < 0:
        raise failed(537)
    return length


def _replicate(text: str, times: int) -> str | None:
    if times < 0:
        return None
    check_length(len(text) * times)
    return text * times


def _stuff(text: str, start: int, length: int, other: str) -> str | None:
    if start < 1 or start > len(text) or length < 0:
        return None
    return joined((text[: start - 1], other, text[start - 1 + length :]))


def _char_index(part: str, text: str, start: int = 1) -> int:
    return next(places(folded(part), folded(text), max(start - 1, 0)), -1) + 1 if part else 0


def _character(number: int) -> str | None:
    return chr(number) if 0 < number < 0xD800 else None


def _quote_name(text: str, mark: str = "[") -> str | None:
    pair = {"[": ("[", "]"), "]": ("[", "]"), "'": ("'", "'"), '"': ('"', '"')}.get(mark)
    return None if pair is None or len(text) > 128 else pair[0] + text.replace(pair[1], pair[1] * 2) + pair[1]


def _power(base: float, exponent: float) -> float:
    try:
        found: float | complex = base**exponent
    except (OverflowError, ZeroDivisionError):
        raise failed(8115, expected="float") from None
    if isinstance(found, complex):
        raise failed(8115, expected="float")
    return found


def _root(number: float) -> float:
    if number < 0:
        raise failed(8115, expected="float")
    return math.sqrt(number)


def _rounded(number: float | int, digits: int) -> float | int:
    digits = max(min(digits, 30), -30)
    if isinstance(number, int) and digits >= 0:
        return number
    factor = 10.0**digits
    if not math.isfinite(number * factor):
        return number
    found = math.copysign(math.floor(abs(number) * factor + 0.5) / factor, number)
    return int(found) if isinstance(number, int) else found


def _whole(round_down: bool) -> Callable[[Any], Value]:
    def whole(number: float | int) -> Value:
        return number if isinstance(number, int) else float(math.floor(number) if round_down else math.ceil(number))

    return whole


def _is_numeric(value: Value = None) -> int:
    if isinstance(value, str):
        return int(NUMBER.fullmatch(value) is not None and math.isfinite(float(value)))
    return int(isinstance(value, int | float))


def _is_date(value: Value = None) -> int:
    try:
        convert(value, NVARCHAR, DATETIME)
    except Exception:  # whatever is wrong with it, it is none
        return 0
    return int(value is not None)


def _joined(one: str | None, other: str | None) -> str | None:
    return _joined_with("", one, other)


def _joined_with(separator: str | None, one: str | None, other: str | None) -> str | None:
    """Two texts, or the one that is not NULL."""
    if one is None or other is None:
        return other if one is None else one
    return joined((one, separator or "", other))


def _scalar(takes: str, gives: SqlType | None, call: Callable[..., Any], **more: Any) -> Scalar:
    return Scalar(takes=takes, gives=gives, call=call, **more)


SCALARS: Final[dict[str, Scalar]] = {
    "LEN": _scalar("s", INT, lambda text: len(text.rstrip(" "))),
    "DATALENGTH": _scalar("b", INT, len),
    "SUBSTRING": _scalar("sii", NVARCHAR, _substring),
    "LEFT": _scalar("si", NVARCHAR, lambda text, length: text[: _side(text, length)]),
    "RIGHT": _scalar("si", NVARCHAR, lambda text, length: text[-_side(text, length) :] if length else ""),
    "UPPER": _scalar("s", NVARCHAR, lambda text: changed(text, str.upper)),
    "LOWER": _scalar("s", NVARCHAR, lambda text: changed(text, str.lower)),
    "LTRIM": _scalar("s", NVARCHAR, lambda text: text.lstrip(" ")),
    "RTRIM": _scalar("s", NVARCHAR, lambda text: text.rstrip(" ")),
    "TRIM": _scalar("s", NVARCHAR, lambda text: text.strip(" ")),
    "REVERSE": _scalar("s", NVARCHAR, lambda text: text[::-1]),
    "REPLACE": _scalar("sss", NVARCHAR, replaced),
    "REPLICATE": _scalar("si", NVARCHAR, _replicate),
    "SPACE": _scalar("i", NVARCHAR, lambda times: _replicate(" ", times)),
    "STUFF": _scalar("siis", NVARCHAR, _stuff),
    "CHARINDEX": _scalar("ssi", INT, _char_index, optional=1),
    "CONCAT": _scalar("ss", NVARCHAR, _joined, many=True, takes_null=True),
    "CONCAT_WS": _scalar("sss", NVARCHAR, _joined_with, many=True, takes_null=True),
    "CHAR": _scalar("i", VARCHAR, lambda number: _character(number) if number < 256 else None),
    "NCHAR": _scalar("i", NVARCHAR, _character),
    "ASCII": _scalar("s", INT, lambda text: min(ord(text[0]), 255) if text else None),
    "UNICODE": _scalar("s", INT, lambda text: ord(text[0]) if text else None),
    "QUOTENAME": _scalar("ss", SqlType("nvarchar", 258), _quote_name, optional=1),
    "ABS": _scalar("x", None, lambda number: abs(_numeric(number))),
    "SIGN": _scalar("x", INT, lambda number: (_numeric(number) > 0) - (_numeric(number) < 0)),
    "CEILING": _scalar("x", None, lambda number: _whole(False)(_numeric(number))),
    "FLOOR": _scalar("x", None, lambda number: _whole(True)(_numeric(number))),
    "ROUND": _scalar("xi", None, lambda number, digits: _rounded(_numeric(number), digits)),
    "POWER": _scalar("ff", FLOAT, _power),
    "SQRT": _scalar("f", FLOAT, _root),
    "ISNUMERIC": _scalar("x", INT, _is_numeric, takes_null=True),
    "ISDATE": _scalar("x", INT, _is_date, takes_null=True),
    "DATEADD": _scalar("pim", DATETIME, date_add),
    "DATEDIFF": _scalar("pmm", INT, date_diff),
    "DATEDIFF_BIG": _scalar("pmm", BIGINT, date_diff),
    "DATEPART": _scalar("pm", INT, date_part),
    "DATENAME": _scalar("pm", NVARCHAR, date_name),
    "YEAR": _scalar("m", INT, lambda moment: date_part("year", moment)),
    "MONTH": _scalar("m", INT, lambda moment: date_part("month", moment)),
    "DAY": _scalar("m", INT, lambda moment: date_part("day", moment)),
}


def _numeric(value: Value) -> float | int:
    if isinstance(value, int | float):
        return value
    found = convert(value, NVARCHAR, FLOAT)
    assert isinstance(found, float), "a value that is not NULL converts or fails"
    return found


@cache
def _known_type(text: str) -> SqlType:
    found = sql_type(text)
    assert found is not None, "types are written by whoever has read them"
    return found


def cast(value: Value, source: str, target: str, style: int | None = None) -> Value:
    """CAST and CONVERT: types as texts."""
    return convert(value, _known_type(source), _known_type(target), style)


def called(scalar: Scalar) -> Callable[..., Value]:
    """A function as it is given to the tables in memory: NULL for NULL."""
    if scalar.takes_null:
        return scalar.call

    def call(*values: Value) -> Value:
        return None if None in values else scalar.call(*values)

    return call
