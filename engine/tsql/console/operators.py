"""Operators that differ between T-SQL and SQLite, as functions over values as they are kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Final, TypeVar

from engine.tsql.console import moments, xml_values
from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.functions import SCALARS, called, cast
from engine.tsql.console.like import like
from engine.tsql.console.texts import check_length, joined
from engine.tsql.console.values import Value

Found = TypeVar("Found", bool, str)

Number = int | float

INTEGER_MAX: Final = 2**63 - 1


def _fitting(number: Number) -> Number:
    """A number that a bigint or a float holds, or 8115."""
    if isinstance(number, int):
        if not -(2**63) <= number <= INTEGER_MAX:
            raise failed(8115, expected="bigint")
    elif not math.isfinite(number):
        raise failed(8115, expected="float")
    return number


def _add(one: Value, other: Value) -> Value:
    match one, other:
        case (None, _) | (_, None):
            return None
        case str(), str():
            return joined((one, other))
        case bytes(), bytes():
            check_length(len(one) + len(other))
            return one + other
        case (str(), int() | float()):
            return _later(one, other)
        case (int() | float(), str()):
            return _later(other, one)
        case _:
            return _calculated(lambda a, b: a + b)(one, other)


def _sub(one: Value, other: Value) -> Value:
    if isinstance(one, str) and isinstance(other, int | float):
        return _later(one, -other)
    return _calculated(lambda a, b: a - b)(one, other)


def _later(moment: str, days: Number) -> str:
    """A datetime later by so many days."""
    try:
        return moments.kept(moments.moment_of(moment) + timedelta(days=days))
    except (ValueError, OverflowError):
        raise failed(241, value=moment) from None


def _calculated(operation: Callable[[Number, Number], Number]) -> Callable[[Value, Value], Value]:
    def calculate(one: Value, other: Value) -> Value:
        if one is None or other is None:
            return None
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            raise failed(402, found=_kind(one), expected=_kind(other))
        try:
            return _fitting(operation(one, other))
        except OverflowError:
            raise failed(8115, expected="float") from None

    return calculate


def _kind(value: Value) -> str:
    return {str: "nvarchar", bytes: "varbinary", int: "int", float: "float"}.get(type(value), "int")


def _divided(one: Number, other: Number) -> Number:
    if other == 0:
        raise failed(8134)
    if isinstance(one, int) and isinstance(other, int):
        quotient = abs(one) // abs(other)
        return quotient if (one < 0) == (other < 0) else -quotient
    return one / other


def _remainder(one: Number, other: Number) -> Number:
    if other == 0:
        raise failed(8134)
    if isinstance(one, int) and isinstance(other, int):
        return int(math.copysign(1, one)) * (abs(one) % abs(other))
    return math.fmod(one, other)


def _like(text: Value, pattern: Value, escape: Value, is_exact: Value) -> Value:
    if not isinstance(text, str) or not isinstance(pattern, str):
        return None
    mark = escape if isinstance(escape, str) else None
    if mark is not None and len(mark) != 1:
        raise failed(506, value=mark)
    return int(like(text, pattern, mark, is_exact=bool(is_exact)))


def _try_cast(value: Value, source: str, target: str, style: Value = None) -> Value:
    try:
        return _cast(value, source, target, style)
    except StatementFailed:
        return None


def _cast(value: Value, source: str, target: str, style: Value = None) -> Value:
    return cast(value, source, target, style if isinstance(style, int) else None)


def _top(rows: Value) -> Value:
    if not isinstance(rows, int) or rows < 0:
        raise failed(127)
    return rows


def _whole(value: Value) -> Value:
    return None if value is None else math.trunc(value) if isinstance(value, float) else value


def _xml_value(document: Value, path: str) -> Value:
    return _of_xml(xml_values.value, document, path)


def _xml_exist(document: Value, path: str) -> Value:
    found = _of_xml(xml_values.exists, document, path)
    return None if found is None else int(found)


def _of_xml(ask: Callable[[str, xml_values.Path], Found | None], document: Value, path: str) -> Found | None:
    """What a method answers about a document; None for NULL. Errors: 2389, 9400, 40517."""
    known = xml_values.path_of(path)
    if known is None:
        raise failed(40517, found=path)
    if not isinstance(document, str):
        return None
    try:
        return ask(document, known)
    except xml_values.SeveralFound:
        raise failed(2389, found=path) from None
    except xml_values.NotWellFormed as error:
        # What is in a column of type xml was checked; what is none may still be called one.
        raise failed(9400, line=error.line, column=error.column, detail=error.detail) from None


FUNCTIONS: Final[dict[str, Callable[..., Value]]] = {
    "t_add": _add,
    "t_sub": _sub,
    "t_mul": _calculated(lambda one, other: one * other),
    "t_div": _calculated(_divided),
    "t_mod": _calculated(_remainder),
    "t_and": _calculated(lambda one, other: int(one) & int(other)),
    "t_or": _calculated(lambda one, other: int(one) | int(other)),
    "t_xor": _calculated(lambda one, other: int(one) ^ int(other)),
    "t_like": _like,
    "t_cast": _cast,
    "t_try_cast": _try_cast,
    "t_top": _top,
    "t_whole": _whole,
    "t_xml_value": _xml_value,
    "t_xml_exist": _xml_exist,
    **{f"f_{name.lower()}": called(scalar) for name, scalar in SCALARS.items()},
}
"""Functions that need no session, under the names that rewritten statements call them by."""


class OnlyValue:
    """The value of a SELECT in an expression, which may have one row at most (512)."""

    def __init__(self) -> None:
        self._rows = 0
        self._value: Value = None

    def step(self, *values: Value) -> None:
        """One row."""
        self._rows += 1
        self._value = values[0]

    def final(self) -> Value:
        """The value; NULL without a row."""
        if self._rows > 1:
            raise failed(512)
        return self._value
