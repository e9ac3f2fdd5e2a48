"""Time as the operating system tells it."""

from __future__ import annotations

import time

from engine.core.vocabulary.moment import Instant, Now, UtcTime


class SystemClock:
    """The host's two clocks; `monotonic` is the one of asyncio's event loop."""

    def now(self) -> Now:
        """The time, now."""
        return Now(Instant(time.monotonic()), UtcTime(time.time()))
