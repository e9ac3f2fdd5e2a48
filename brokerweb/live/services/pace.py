"""When a follower reads next: all that follow in a process beat the same time.

Those that are due together ask the engine together and write into the same frames, which costs the engine, the web and
the browsers one way instead of many. Who was woken between two beats comes back to the beat instead of adding a whole
interval of his own.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Final

BEAT_SECONDS: Final = 0.05
"""What late ones are brought to; every interval is so many of these."""
READ_SHARE_MAX: Final = 0.5
"""Part of the time that readings may take: an engine that is slow to answer is asked less often."""
FAN_OUT_BYTES_A_SECOND: Final = 30_000_000
"""What one follower may send to all its subscribers together: beyond it ticks slow down."""
REST_SECONDS_MAX: Final = 2.0
_EXACT: Final = 1e-6
"""What an instant may be beside its beat: floats do not add up."""


def due_at(interval: float, began: float, read_seconds: float, sent: int) -> float:
    """When to read again, by the clock by which the last reading began, in seconds.

    That is at a multiple of the interval, half an interval after the last beginning or later, so that nobody is told
    more often than at each multiple. `read_seconds` is what the last reading took, `sent` the bytes that came of it.
    """
    beaten = multiple(interval, began + interval / 2)
    costs = max(read_seconds / READ_SHARE_MAX, sent / FAN_OUT_BYTES_A_SECOND)
    if began + costs <= beaten + _EXACT:
        return beaten
    return multiple(BEAT_SECONDS, began + min(costs, REST_SECONDS_MAX))


def multiple(seconds: float, at: float) -> float:
    """The first multiple that is not before `at`."""
    number = at / seconds
    nearest = floor(number + 0.5)
    return seconds * (nearest if abs(number - nearest) < _EXACT else ceil(number))
