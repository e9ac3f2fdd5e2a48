"""Moments as texts: how they are kept, `2026-01-31 12:00:00.000`, read, and written in the styles of CONVERT.

All of them are UTC: the clock of an instance has no time zone here.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_ZERO: Final = datetime(1900, 1, 1, tzinfo=UTC)
"""What the number 0 is as a datetime."""
TICKS_PER_DAY: Final = 24 * 60 * 60 * 300
"""A datetime is so many 300ths of a second after day zero."""
_SMALLEST: Final = {"datetime": 1, "smalldatetime": 60 * 300}
"""Ticks between two values of a type."""
_RANGES: Final = {
    "datetime": (datetime(1753, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)),
    "smalldatetime": (_DAY_ZERO, datetime(2079, 6, 6, tzinfo=UTC)),
}
"""The first and the last day of a type."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_READ: Final = re.compile(
    r"(?P<year>\d{4})(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)"
    r"(?:[T ]\s*(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,7}))?)?)?Z?",
    re.ASCII,
)
_TIME: Final = re.compile(
    r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,7}))?)?", re.ASCII
)
_DELAY: Final = re.compile(
    r"(?:1900-?01-?01[T ])?(?P<hour>\d\d?):(?P<minute>\d\d?)(?::(?P<second>\d\d?)(?:\.(?P<fraction>\d{1,3}))?)?",
    re.ASCII,
)
_STYLES: Final = {
    0: "{mon} {day:>2} {year:04} {h12:>2}:{minute:02}{half}",
    1: "{month:02}/{day:02}/{yy:02}",
    3: "{day:02}/{month:02}/{yy:02}",
    4: "{day:02}.{month:02}.{yy:02}",
    8: "{hour:02}:{minute:02}:{second:02}",
    13: "{day:02} {mon} {year:04} {hour:02}:{minute:02}:{second:02}:{ms:03}",
    14: "{hour:02}:{minute:02}:{second:02}:{ms:03}",
    20: "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}",
    21: "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{ms:03}",
    23: "{year:04}-{month:02}-{day:02}",
    101: "{month:02}/{day:02}/{year:04}",
    103: "{day:02}/{month:02}/{year:04}",
    104: "{day:02}.{month:02}.{year:04}",
    112: "{year:04}{month:02}{day:02}",
    126: "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}",
}
_ALIKE: Final = {100: 0, 108: 8, 113: 13, 114: 14, 120: 20, 121: 21, 25: 21, 127: 126}


def stored(seconds: float) -> str:
    """A moment, seconds since 1970, as it is kept; the nearest that a datetime can be."""
    try:
        return kept(_EPOCH + timedelta(seconds=round(seconds, 3)))
    except OverflowError:
        return "9999-12-31 23:59:59.997"


def kept(moment: datetime) -> str:
    """A moment as it is kept."""
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}".rjust(23, "0")


def ticks_of(text: str) -> int:
    """What is kept as ticks since day zero; `ValueError` for what is no moment."""
    since = moment_of(text) - _DAY_ZERO
    return since.days * TICKS_PER_DAY + round((since.seconds * 1_000_000 + since.microseconds) * 3 / 10_000)


def of_ticks(ticks: int, base: str) -> str:
    """The moment of a datetime or smalldatetime, by its ticks; `ValueError` beyond the days of the type."""
    size = _SMALLEST[base]
    ticks = (ticks + size // 2) // size * size
    first, last = _RANGES[base]
    days, rest = divmod(ticks, TICKS_PER_DAY)
    if not (first - _DAY_ZERO).days <= days <= (last - _DAY_ZERO).days:
        raise ValueError(ticks)
    return kept(_DAY_ZERO + timedelta(days=days, milliseconds=(rest * 10 + 1) // 3))


def seconds_of(text: str) -> float:
    """What is kept as seconds since 1970; `ValueError` for what is none."""
    return (moment_of(text) - _EPOCH).total_seconds()


def moment_of(text: str) -> datetime:
    """A moment that a text names, in a form without choices (ISO 8601); `ValueError` for what is none."""
    found = _READ.fullmatch(text.strip())
    if found is None:
        clock = _TIME.fullmatch(text.strip())
        if clock is None:
            raise ValueError(text)
        return datetime(1900, 1, 1, tzinfo=UTC) + _since_midnight(clock)
    day = datetime(int(found["year"]), int(found["month"]), int(found["day"]), tzinfo=UTC)
    return day if found["hour"] is None else day + _since_midnight(found)


def _since_midnight(found: re.Match[str]) -> timedelta:
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(found[0])
    fraction = (found["fraction"] or "").ljust(6, "0")[:6]
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=int(fraction))


def delay_seconds(text: str) -> float:
    """`h:m[:s[.mss]]` as WAITFOR DELAY takes it, below a day, or the time of a datetime; else `ValueError`."""
    found = _DELAY.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    return _since_midnight(found).total_seconds()


def written(text: str, style: int) -> str:
    """What is kept, in a style of CONVERT; `ValueError` for a style that there is not."""
    pattern = _STYLES.get(_ALIKE.get(style, style))
    if pattern is None:
        raise ValueError(style)
    moment = moment_of(text)
    return pattern.format(
        year=moment.year,
        yy=moment.year % 100,
        month=moment.month,
        mon=_MONTHS[moment.month - 1],
        day=moment.day,
        hour=moment.hour,
        h12=(moment.hour - 1) % 12 + 1,
        half="AM" if moment.hour < 12 else "PM",
        minute=moment.minute,
        second=moment.second,
        ms=moment.microsecond // 1000,
    )
