"""`told`: messages to a browser whose socket may be gone by now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from autobahn.exception import Disconnected

Send = Callable[[dict[str, Any]], Awaitable[None]]


async def told(send: Send, message: dict[str, Any]) -> None:
    """Send a message of ASGI; nothing comes of it when the browser has gone, which `websocket.disconnect` tells next.

    Between the end of a connection and that message there is a while in which the server refuses what is sent.
    """
    try:
        await send(message)
    except Disconnected:
        return
