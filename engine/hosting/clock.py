"""Time as the operating system tells it."""

from __future__ import annotations

import time
from typing import Final

from engine.core.vocabulary.moment import Instant, Now, UtcTime


class SystemClock:
    """The host's two clocks; `monotonic` is the one of asyncio's event loop."""

    def now(self) -> Now:
        """The time, now."""
        return Now(Instant(time.monotonic()), UtcTime(time.time()))


_LASTING: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def lasting_seconds() -> float:
    """Seconds that nobody can set, those in which the machine slept included: a lease ends during sleep too."""
    return time.clock_gettime(_LASTING)
