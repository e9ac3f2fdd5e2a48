"""What every follower of an estate must know of it, read once for all of them."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from asgiref.sync import sync_to_async

from brokerweb.topology.selectors.estates import EstateProgress, estate_progress

AGE_SECONDS_MAX: Final = 4.0


class EstateBook:
    """How far an estate has come, as it was read last."""

    def __init__(self, estate: str) -> None:
        self._estate = estate
        self._progress: EstateProgress | None = None
        self._read_at = float("-inf")
        self._lock = asyncio.Lock()

    def forget(self) -> None:
        """Something has changed."""
        self._read_at = float("-inf")

    async def progress(self) -> EstateProgress | None:
        """As of now, or of a few seconds ago if nobody has said that it changed; None without such an estate.

        Raises what the database does when it cannot be asked.
        """
        async with self._lock:
            now = time.monotonic()
            if now - self._read_at > AGE_SECONDS_MAX:
                # Before it is read: what changes meanwhile is news.
                self._read_at = now
                try:
                    self._progress = await sync_to_async(estate_progress)(self._estate)
                except BaseException:
                    # Not known is not the same as not there.
                    self.forget()
                    raise
            return self._progress
