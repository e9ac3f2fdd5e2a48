"""DATEADD, DATEDIFF, DATEPART and DATENAME over moments as they are kept."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from typing import Final

from engine.tsql.console.failing import failed
from engine.tsql.console.moments import kept, moment_of

_PARTS: Final = {
    **dict.fromkeys(("YEAR", "YY", "YYYY"), "year"),
    **dict.fromkeys(("QUARTER", "QQ", "Q"), "quarter"),
    **dict.fromkeys(("MONTH", "MM", "M"), "month"),
    **dict.fromkeys(("DAYOFYEAR", "DY", "Y"), "dayofyear"),
    **dict.fromkeys(("DAY", "DD", "D"), "day"),
    **dict.fromkeys(("WEEK", "WK", "WW"), "week"),
    **dict.fromkeys(("WEEKDAY", "DW", "W"), "weekday"),
    **dict.fromkeys(("HOUR", "HH"), "hour"),
    **dict.fromkeys(("MINUTE", "MI", "N"), "minute"),
    **dict.fromkeys(("SECOND", "SS", "S"), "second"),
    **dict.fromkeys(("MILLISECOND", "MS"), "millisecond"),
    **dict.fromkeys(("MICROSECOND", "MCS"), "microsecond"),
}
_UNITS: Final = {
    "week": timedelta(weeks=1),
    "day": timedelta(days=1),
    "dayofyear": timedelta(days=1),
    "weekday": timedelta(days=1),
    "hour": timedelta(hours=1),
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
    "millisecond": timedelta(milliseconds=1),
    "microsecond": timedelta(microseconds=1),
}
_MONTHS: Final = {"year": 12, "quarter": 3, "month": 1}
_SUNDAY: Final = datetime(1899, 12, 31, tzinfo=UTC)
"""Weeks are counted from Sunday to Sunday, as under the vendor's default language."""


def part_named(word: str) -> str | None:
    """The part of a date that a word means; None for none."""
    return _PARTS.get(word.upper())


def check_part(part: str, base: str, line: int) -> None:
    """DATEADD adds no hours to a date and no days to a time (9810)."""
    is_of_day = part in ("hour", "minute", "second", "millisecond", "microsecond")
    if (base == "date" and is_of_day) or (base == "time" and not is_of_day):
        raise failed(9810, at=line, name=part, expected=base)


def _moment(text: str) -> datetime:
    try:
        return moment_of(text)
    except (ValueError, OverflowError):
        raise failed(241, value=text) from None


def date_add(part: str, number: int, text: str) -> str:
    """A moment later by so many of a part; 517 beyond the years that there are."""
    moment = _moment(text)
    try:
        if part in _MONTHS:
            months = moment.year * 12 + moment.month - 1 + number * _MONTHS[part]
            year, month = divmod(months, 12)
            day = min(moment.day, calendar.monthrange(year, month + 1)[1])
            return kept(moment.replace(year=year, month=month + 1, day=day))
        return kept(moment + number * _UNITS[part])
    except (ValueError, OverflowError):
        raise failed(517) from None


def date_diff(part: str, earlier: str, later: str) -> int:
    """How many boundaries of a part are between two moments."""
    one, other = _moment(earlier), _moment(later)
    if part in _MONTHS:
        size = _MONTHS[part]
        return (other.year * 12 + other.month - 1) // size - (one.year * 12 + one.month - 1) // size
    unit = _UNITS[part]
    start = _SUNDAY if part == "week" else datetime(1, 1, 1, tzinfo=UTC)
    return (other - start) // unit - (one - start) // unit


def date_part(part: str, text: str) -> int:
    """A part of a moment as a number."""
    moment = _moment(text)
    match part:
        case "quarter":
            return (moment.month - 1) // 3 + 1
        case "dayofyear":
            return moment.timetuple().tm_yday
        case "weekday":
            return moment.isoweekday() % 7 + 1
        case "week":
            first = moment.replace(month=1, day=1)
            return date_diff("week", kept(first), kept(moment)) + 1
        case "millisecond":
            return moment.microsecond // 1000
        case _:
            found: int = getattr(moment, part)
            return found


def date_name(part: str, text: str) -> str:
    """A part of a moment in words: months and days have names."""
    moment = _moment(text)
    if part == "month":
        return calendar.month_name[moment.month]
    return calendar.day_name[moment.weekday()] if part == "weekday" else str(date_part(part, text))
