"""`WakeUps`: tells the web that an instance has new events, often enough to be live and seldom enough to be cheap.

A wake-up carries no event, only the number of the newest; whoever is woken reads what it misses. At most one is sent
for each instance in a tenth of a second, and the last one of a burst is always sent. An instance that nobody has looked
at lately is told of every two seconds: whoever follows a live view looks by himself every few seconds, and a wake-up
costs two processes as much as several messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from engine.core.vocabulary.identifiers import EstateName, EventSequence, InstanceName
from engine.core.vocabulary.moment import Duration

INTERVAL_SECONDS: Final = Duration(0.1)
UNWATCHED_SECONDS: Final = Duration(2)
WATCHED_SECONDS: Final = Duration(15)
"""How long a look counts: longer than a live view goes without one."""

logger = logging.getLogger(__name__)

Wake = Callable[[EstateName, InstanceName, EventSequence], None]
"""Sends one wake-up; may block."""

_Key = tuple[EstateName, InstanceName]


class WakeUps:
    """Coalesces wake-ups of all instances of a host. Lives on its event loop; sending happens in a thread."""

    def __init__(self, wake: Wake) -> None:
        self._wake = wake
        self._pending: dict[_Key, EventSequence] = {}
        self._resting: dict[_Key, asyncio.TimerHandle] = {}
        self._looked_at: dict[_Key, float] = {}
        self._sender = ThreadPoolExecutor(1, thread_name_prefix="engine-wake")

    def note(self, estate: EstateName, instance: InstanceName, sequence: EventSequence) -> None:
        """Events up to `sequence` are committed."""
        key = (estate, instance)
        self._pending[key] = sequence
        if key not in self._resting:
            self._send(key)

    def looked(self, estate: EstateName, instance: InstanceName) -> None:
        """Somebody has read the instance, and may be following it: what comes now is told soon."""
        key, loop = (estate, instance), asyncio.get_running_loop()
        was_watched = self._is_watched(key)
        self._looked_at[key] = loop.time()
        resting = self._resting.get(key)
        if resting is not None and not was_watched:
            resting.cancel()
            self._rest(key)

    def close(self) -> None:
        """Send what is still due, then end."""
        for timer in self._resting.values():
            timer.cancel()
        self._resting.clear()
        for (estate, instance), sequence in self._pending.items():
            self._sender.submit(self._call, estate, instance, sequence)
        self._pending.clear()
        self._sender.shutdown()

    def _send(self, key: _Key) -> None:
        """Send the newest number, then rest; after the rest, send again if something came meanwhile."""
        sequence = self._pending.pop(key, None)
        if sequence is None:
            self._resting.pop(key, None)
            return
        self._sender.submit(self._call, *key, sequence)
        self._rest(key)

    def _rest(self, key: _Key) -> None:
        seconds = INTERVAL_SECONDS if self._is_watched(key) else UNWATCHED_SECONDS
        self._resting[key] = asyncio.get_running_loop().call_later(seconds, self._send, key)

    def _is_watched(self, key: _Key) -> bool:
        at = self._looked_at.get(key)
        return at is not None and asyncio.get_running_loop().time() - at < WATCHED_SECONDS

    def _call(self, estate: EstateName, instance: InstanceName, sequence: EventSequence) -> None:
        try:
            self._wake(estate, instance, sequence)
        except Exception:
            # The events are safe; the web looks by itself now and then.
            logger.warning(
                "The web could not be told of new events of %s in estate %s.", instance, estate, exc_info=True
            )
