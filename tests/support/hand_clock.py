"""Time that passes only when a test says so: no test sleeps until something expires, none is overtaken by its machine.

`HandClock` is for the leases of hosts, which are renewed in threads; `HandTime` for the timers of an event loop.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.hosting.clock import SystemClock

T = TypeVar("T")

WAIT_SECONDS_MAX = 60.0
"""On a machine that has much else to do."""
LOOK_AGAIN_SECONDS = 0.002
TURNS = 50
"""Of an event loop, enough for what one turn of sockets on this machine brings about in others."""


class HandClock(SystemClock):
    """The clock of hosts whose leases end when the test says so; retries and time-outs of messages go on as ever."""

    def __init__(self) -> None:
        self._seconds = 1000.0
        self._wait_ends: list[float] = []

    def lasting_seconds(self) -> float:
        return self._seconds

    def wait(self, event: threading.Event, seconds: float) -> bool:
        return self.poll(seconds, lambda: event.wait(LOOK_AGAIN_SECONDS))

    def poll(self, seconds: float, look: Callable[[], T]) -> T:
        """Look until something is found, or until so much time of this clock has passed; `look` rests for a moment."""
        ends = self._seconds + seconds
        self._wait_ends.append(ends)
        try:
            while not (found := look()) and self._seconds < ends:
                pass
        finally:
            self._wait_ends.remove(ends)
        return found

    def advance(self, seconds: float, waits: int = 0) -> None:
        """Let so much time pass, as soon as so many threads wait for a later time."""
        deadline = time.monotonic() + WAIT_SECONDS_MAX
        while sum(ends > self._seconds for ends in list(self._wait_ends)) < waits:
            assert time.monotonic() < deadline, f"in vain: {waits} threads wait for a later time"
            time.sleep(LOOK_AGAIN_SECONDS)
        self._seconds += seconds


class HandTime:
    """The time of the running event loop, which stands still from now on. Sockets and threads work as ever.

    `asyncio.timeout` does not end then, and `asyncio.sleep` does not return: wait with `until`.
    """

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._seconds = loop.time()
        # `call_later` asks the loop as well.
        loop.time = lambda: self._seconds  # type: ignore[method-assign]

    async def advance(self, seconds: float) -> None:
        """Let so much time pass, and let everything happen that is due then."""
        self._seconds += seconds
        await turns()


class LoopClock:
    """A clock of links that goes with the running event loop: in real time, or by hand."""

    def now(self) -> Now:
        return Now(Instant(asyncio.get_running_loop().time()), UtcTime(time.time()))


async def turns() -> None:
    """Let everything happen that does not wait for time."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool], what: str) -> None:
    """Look again until it is so, in real time; a test that waits in vain fails with what it waited for."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, f"in vain: {what}"
        await asyncio.to_thread(time.sleep, LOOK_AGAIN_SECONDS)
