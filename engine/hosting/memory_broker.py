"""A broker in memory that wakes its workers, for the embedded engine.

Kombu's own in-memory transport looks for work at an interval: often is restless, seldom is slow. This one differs in
nothing but waiting: whatever may give a worker something to do (a message, a confirmation that makes room for the
next one) wakes it at once, and an idle one sleeps.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import wraps
from queue import Empty
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, memory

SCHEME: Final = "engine-memory"


class _Bell:
    """Rings for all who sleep; who looks before sleeping misses no ring."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._rings = 0
        self.alarms = 0

    def ring(self, *, is_alarm: bool = False) -> None:
        with self._condition:
            self._rings += 1
            self.alarms += is_alarm
            self._condition.notify_all()

    def rings(self) -> int:
        return self._rings

    def wait(self, seen: int, seconds: float | None) -> bool:
        """Sleep until it has rung more than `seen` times; False when the time is up first."""
        with self._condition:
            return self._condition.wait_for(lambda: self._rings != seen, seconds)


_bell: Final = _Bell()


def _ringing(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(channel: memory.Channel, *arguments: Any, **options: Any) -> Any:
        answer = method(channel, *arguments, **options)
        _bell.ring()
        return answer

    return call


class Channel(memory.Channel):
    """A channel that rings for every message and every confirmation."""

    _put = _ringing(memory.Channel._put)
    _put_fanout = _ringing(memory.Channel._put_fanout)
    basic_ack = _ringing(memory.Channel.basic_ack)
    basic_reject = _ringing(memory.Channel.basic_reject)


class Transport(memory.Transport):
    """A transport whose `drain_events` sleeps until the bell rings."""

    Channel = Channel

    def drain_events(self, connection: Any, timeout: Any = None, **_options: Any) -> None:
        """Deliver one message; `TimeoutError` when there was none within `timeout`, or before an alarm."""
        deadline = None if timeout is None else time.monotonic() + timeout
        cycle: Any = self.cycle
        alarms = _bell.alarms
        while True:
            seen = _bell.rings()
            try:
                cycle.get(self._deliver, timeout=timeout)
                return
            except Empty:
                remaining = None if deadline is None else max(deadline - time.monotonic(), 0.0)
                if not _bell.wait(seen, remaining) or _bell.alarms != alarms:
                    raise TimeoutError from None


def alarm_workers() -> None:
    """Let every worker that sleeps look whether it has to stop."""
    _bell.ring(is_alarm=True)


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
