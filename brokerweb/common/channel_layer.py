"""The channel layer inside one process, safe to send to from any thread.

The engine's worker and the outbox run in threads of their own; the browsers' consumers wait on the server's event
loop. A queue of asyncio must only be touched on the loop its readers wait on.
"""

from __future__ import annotations

import asyncio
from typing import Any

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
            await super().group_send(group, message)
            return
        sending = super().group_send(group, message)
        try:
            asyncio.run_coroutine_threadsafe(sending, home)
        except RuntimeError:
            # The server's loop closed between the question and the hand-over: nobody is left to wake.
            sending.close()
