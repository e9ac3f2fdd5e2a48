"""The channel layer inside one process, safe to send to from any thread.

The engine's worker and the outbox run in threads of their own; the browsers' consumers wait on the server's event
loop. A queue of asyncio must only be touched on the loop its readers wait on.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer


class LocalChannelLayer(InMemoryChannelLayer):
    """The in-memory layer; a message to a group is handed over to the loop on which the group's members wait."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._home: asyncio.AbstractEventLoop | None = None

    async def group_add(self, group: str, channel: str) -> None:
        self._home = asyncio.get_running_loop()
        await super().group_add(group, channel)

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        home = self._home
        if home is None or home.is_closed():
            return
        if home is asyncio.get_running_loop():
            await self._to_members(group, message)
            return
        # The server's loop may close between the question and the hand-over: nobody is left to wake then.
        with suppress(RuntimeError):
            home.call_soon_threadsafe(self._at_once, group, message)

    def _at_once(self, group: str, message: dict[str, Any]) -> None:
        """On the members' loop, in one step of it: a task that waits would be left where the loop ends meanwhile."""
        sending = self._to_members(group, message)
        try:
            sending.send(None)
        except StopIteration:
            return
        raise RuntimeError("The queue of a member has waited, which it never does.")

    async def _to_members(self, group: str, message: dict[str, Any]) -> None:
        """Waits for nothing: a queue that is full goes without."""
        self.require_valid_group_name(group)
        self._clean_expired()
        for channel in list(self.groups.get(group, ())):
            with suppress(ChannelFull):
                await self.send(channel, message)
