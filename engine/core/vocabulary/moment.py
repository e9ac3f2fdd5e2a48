"""Time as a value: the core never reads a clock, it is told what time it is.

Two readings travel together because they answer different questions: `monotonic` never jumps and drives retries
and delays, `utc` is what people and other instances agree on and drives route and conversation lifetimes.
"""

from __future__ import annotations

from typing import NewType

import msgspec

Instant = NewType("Instant", float)
"""Monotonic seconds of the host; meaningless outside one process."""

UtcTime = NewType("UtcTime", float)
"""Seconds since 1970-01-01T00:00:00Z."""

Duration = NewType("Duration", float)
"""Seconds."""

NEVER_SET = UtcTime(-2208988800.0)
"""1900-01-01T00:00:00Z, the vendor's value for a time that was never set (views.md 1)."""


def earlier(one: Instant | None, other: Instant | None) -> Instant | None:
    """The earlier of two instants; None stands for never."""
    if one is None or (other is not None and other < one):
        return other
    return one


class Now(msgspec.Struct, frozen=True):
    """One reading of both clocks, taken by the host before it calls the core."""

    monotonic: Instant
    utc: UtcTime

    def monotonic_at(self, utc: UtcTime) -> Instant:
        """The monotonic instant at which the UTC clock will show `utc`, if neither clock steps."""
        return Instant(self.monotonic + (utc - self.utc))
