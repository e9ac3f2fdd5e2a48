"""`LayerThread`: the one loop of a process from which plain code speaks to the channel layer.

A loop of its own for each word, as `async_to_sync` would make it, is a thread, a loop and a connection to Redis for
each wake-up, sixteen times a second while a live view is looked at.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final

SECONDS_MAX: Final = 5.0
"""How long a word may take; a layer that hangs holds nobody up for longer."""


class LayerThread:
    """A loop in a thread, from the first use to the end of the process. Used by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._process = 0

    def run(self, say: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Wait until it is said. Whatever that raises, `TimeoutError` after `SECONDS_MAX`."""
        asyncio.run_coroutine_threadsafe(self._say(say), self._begun()).result()

    async def _say(self, say: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async with asyncio.timeout(SECONDS_MAX):
            try:
                await say()
            except Exception:
                # Perhaps the connection was one from before Redis was restarted: the next is new.
                await say()

    def _begun(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            # A process that was forked has the loop and not the thread.
            if self._loop is None or self._process != os.getpid():
                self._process = os.getpid()
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="channel-layer", daemon=True).start()
            return self._loop
