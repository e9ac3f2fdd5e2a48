"""What every follower of an estate must know of it, read once for all of them."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from channels.db import database_sync_to_async

from brokerweb.topology.private_estates import is_private
from brokerweb.topology.selectors.estates import EstateProgress, estate_progress

AGE_SECONDS_MAX: Final = 4.0
PRIVATE_AGE_SECONDS_MAX: Final = 0.9
"""Of a private estate, whose time may pass many times as fast: for one beat of its followers."""


class EstateBook:
    """How far an estate has come, as it was read last."""

    def __init__(self, estate: str) -> None:
        self._estate = estate
        self.is_private = is_private(estate)
        """Then nothing wakes those who follow it but lines of its log."""
        self._progress: EstateProgress | None = None
        self._read_at = float("-inf")
        self._lock = asyncio.Lock()

    @property
    def goes_by_itself(self) -> bool:
        """Whether something may have happened that nobody is woken for: a private estate's clock runs."""
        clock = None if self._progress is None else self._progress.clock
        return clock is not None and clock.rate > 0

    def forget(self) -> None:
        """Something has changed."""
        self._read_at = float("-inf")

    async def progress(self) -> EstateProgress | None:
        """As of now, or of a few seconds ago if nobody has said that it changed; None without such an estate.

        Raises what the database does when it cannot be asked.
        """
        async with self._lock:
            now = time.monotonic()
            if now - self._read_at > (PRIVATE_AGE_SECONDS_MAX if self.is_private else AGE_SECONDS_MAX):
                # Before it is read: what changes meanwhile is news.
                self._read_at = now
                try:
                    # The time of a private estate is made up for when it is read: nobody else waits for that.
                    read = database_sync_to_async(estate_progress, thread_sensitive=not self.is_private)
                    self._progress = await read(self._estate)
                except BaseException:
                    # Not known is not the same as not there.
                    self.forget()
                    raise
            return self._progress
