"""The one member that a process has in the groups of the channel layer, however many browsers it serves.

Wake-ups may be lost, and a Redis that was restarted has forgotten who belongs to which group: so the ear joins again
and again, and whoever it wakes looks by himself now and then.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any, Final

from channels.layers import get_channel_layer

logger = logging.getLogger(__name__)

JOIN_SECONDS: Final = 5.0
RETRY_SECONDS: Final = 1.0
PATIENCE_SECONDS: Final = 2.0
"""How long the layer may take to answer: who subscribes waits for it, and with them all that they say meanwhile."""
REST_SECONDS: Final = 5.0
"""How long nobody else waits for a layer that has not answered."""


class Ear:
    """Listens for the groups that `groups` names. Belongs to one event loop."""

    def __init__(self, groups: Callable[[], Iterable[str]], hear: Callable[[dict[str, Any]], None]) -> None:
        self._groups = groups
        self._hear = hear
        self._joined: dict[str, float] = {}
        self._joining = asyncio.Lock()
        self._rests_until = float("-inf")
        self._channel: str | None = None
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to listen; harmless when it does."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen())

    async def close(self) -> None:
        """Listen no more, and leave."""
        # Who opens it again meanwhile begins anew.
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def join(self) -> None:
        """Be a member of all groups, also of those that may have forgotten us; a layer that is away is asked later."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._rests_until:
            return
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self._joining:
                await self._join()
        except Exception:
            # Followers look by themselves as long as nothing wakes them.
            logger.warning("The channel layer cannot be joined.", exc_info=True)
            self._joined.clear()
            self._rests_until = loop.time() + REST_SECONDS

    async def _join(self) -> None:
        now = asyncio.get_running_loop().time()
        layer = get_channel_layer()
        if self._channel is None:
            self._channel = await layer.new_channel()
        groups = set(self._groups())
        for group in self._joined.keys() - groups:
            del self._joined[group]
            await layer.group_discard(group, self._channel)
        for group in groups:
            if now - self._joined.get(group, float("-inf")) >= JOIN_SECONDS:
                await layer.group_add(group, self._channel)
                self._joined[group] = now

    async def _listen(self) -> None:
        while True:
            await self.join()
            try:
                async with asyncio.timeout(JOIN_SECONDS):
                    self._hear(await self._receive())
            except TimeoutError:
                continue
            except Exception:
                logger.warning("The channel layer does not answer.", exc_info=True)
                await asyncio.sleep(RETRY_SECONDS)

    async def _receive(self) -> dict[str, Any]:
        if self._channel is None:
            raise ConnectionError("There is no channel yet.")
        message: dict[str, Any] = await get_channel_layer().receive(self._channel)
        return message
