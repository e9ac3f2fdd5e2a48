"""Threads that wait for the engine, so that the event loop never does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

T = TypeVar("T")

READERS_MAX: Final = 32
"""They wait for the engine, most of them for each other's question."""
PRIVATE_READERS_MAX: Final = 4
"""For private estates: these have the time of sandboxes pass, and each keeps a connection to the database."""


class Reading(Generic[T]):
    """Something that a thread does, or will do when it has time."""

    def __init__(self, work: Future[T]) -> None:
        self._work = work
        self.ended = asyncio.wrap_future(work)
        """For the event loop to wait for."""

    def give_up(self) -> bool:
        """Have it not done; False when it has begun, and then goes on to its end."""
        return self._work.cancel()


class ReadingThreads:
    """A few threads for many followers of a process."""

    def __init__(self, threads_max: int = READERS_MAX) -> None:
        self._threads = ThreadPoolExecutor(threads_max, thread_name_prefix="live-read")

    def run(self, read: Callable[[], T]) -> Reading[T]:
        """Have something done in one of them. Call it on the event loop."""
        return Reading(self._threads.submit(read))
