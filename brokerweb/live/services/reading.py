"""Threads that wait for the engine, so that the event loop never does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

T = TypeVar("T")

READERS_MAX: Final = 32
"""They wait for the engine, most of them for each other's question."""


class ReadingThreads:
    """A few threads for all followers of a process."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(READERS_MAX, thread_name_prefix="live-read")

    def run(self, read: Callable[[], T]) -> asyncio.Future[T]:
        """Have something done in one of them."""
        return asyncio.get_running_loop().run_in_executor(self._threads, read)
