"""Time as the operating system tells it."""

from __future__ import annotations

import threading
import time
from typing import Final, Protocol

from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.runtime.ports import Clock


class HostClock(Clock, Protocol):
    """The time of a host and of its leases."""

    def lasting_seconds(self) -> float:
        """Seconds that nobody can set, those in which the machine slept included: a lease ends during sleep too."""
        ...

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Block until the event is set, at most so long; answers whether it is set."""
        ...


class SystemClock:
    """The host's two clocks; `monotonic` is the one of asyncio's event loop."""

    def now(self) -> Now:
        """The time, now."""
        return Now(Instant(time.monotonic()), UtcTime(time.time()))

    def lasting_seconds(self) -> float:
        """See `HostClock`."""
        return time.clock_gettime(_LASTING)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """See `HostClock`."""
        return event.wait(seconds)


_LASTING: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

SYSTEM_CLOCK: Final = SystemClock()
