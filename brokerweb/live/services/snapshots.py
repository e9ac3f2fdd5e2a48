"""Reads of the engine that all browsers of a process share.

However many browsers look at an instance, the engine is asked once for each change: a read serves everybody who
asked before it began, and everybody later for whom it is fresh enough.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakKeyDictionary

import msgspec

from brokerweb.live.protocol import InstanceMessage, Unavailable, encode
from engine import api as engine

ROWS_MAX = 200
"""Rows of each live list that are pushed; totals say how many there are."""
READERS_MAX = 8
"""Threads that wait for the engine: an instance that does not answer must not hold up the others."""

ReadView = Callable[[str, str, int], engine.InstanceView]


class Snapshot(msgspec.Struct, frozen=True):
    """An instance as last read, ready to send."""

    text: str
    sequence: int
    """Number of the last event it includes; -1 when the engine did not answer."""
    asked_at: float
    """Monotonic seconds at which the read began."""


class SnapshotCache:
    """The latest snapshot of every instance that somebody watches. Belongs to one event loop."""

    def __init__(self, read_view: ReadView) -> None:
        self._read_view = read_view
        self._snapshots: dict[tuple[str, str], Snapshot] = {}
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self._readers = ThreadPoolExecutor(READERS_MAX, thread_name_prefix="live-read")

    async def read(self, estate: str, instance: str, *, at_least: int, age_seconds_max: float) -> Snapshot:
        """A snapshot that includes event `at_least` and is at most so old, read anew if there is none.

        Never raises: an engine that does not answer gives a snapshot that says so.
        """
        key = (estate, instance)
        wanted_at = time.monotonic()
        async with self._locks[key]:
            known = self._snapshots.get(key)
            if known is not None and _serves(known, wanted_at, at_least, age_seconds_max):
                return known
            asked_at = time.monotonic()
            text, sequence = await asyncio.get_running_loop().run_in_executor(
                self._readers, self._read, estate, instance
            )
            snapshot = Snapshot(text, sequence, asked_at)
            self._snapshots[key] = snapshot
            return snapshot

    def _read(self, estate: str, instance: str) -> tuple[str, int]:
        try:
            view = self._read_view(estate, instance, ROWS_MAX)
        except engine.EngineUnavailable as error:
            return encode(Unavailable(instance=instance, reason=str(error))), -1
        return encode(InstanceMessage(estate=estate, sequence=view.last_event, view=view)), view.last_event


def _serves(known: Snapshot, wanted_at: float, at_least: int, age_seconds_max: float) -> bool:
    if known.asked_at >= wanted_at:
        return True
    is_young = wanted_at - known.asked_at <= age_seconds_max
    return is_young and (known.sequence >= at_least or known.sequence < 0)


_caches: WeakKeyDictionary[asyncio.AbstractEventLoop, SnapshotCache] = WeakKeyDictionary()


def shared_cache() -> SnapshotCache:
    """The cache of the running event loop; a server process has one loop, hence one cache."""
    return _caches.setdefault(asyncio.get_running_loop(), SnapshotCache(engine.read_view))
