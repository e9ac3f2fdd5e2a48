"""One websocket: events of ASGI to the client object that serves it, and messages to a browser that may be gone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

from autobahn.exception import Disconnected

logger = logging.getLogger(__name__)

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]

NORMAL: Final = 1000
OWN_CODES: Final = range(3000, 5000)
"""Close codes for applications. Those between are the protocol's own: the server refuses to send one."""


class SocketClient(Protocol):
    """What serves one connection. Its methods are called one after another."""

    async def opened(self) -> None:
        """The socket is open."""
        ...

    async def received(self, text: str) -> None:
        """A message of the browser."""
        ...

    async def failed(self, error: Exception) -> None:
        """One of the others has raised: end the connection."""
        ...

    async def closed(self) -> None:
        """The socket is gone: let go of everything."""
        ...


async def serve_socket(client: SocketClient, receive: Receive, send: Send) -> None:
    """Serve one browser until its socket is closed, whatever raises inside."""
    try:
        while (event := await receive())["type"] != "websocket.disconnect":
            try:
                if event["type"] == "websocket.connect":
                    await send({"type": "websocket.accept"})
                    await client.opened()
                else:
                    await client.received(event.get("text") or "")
            except Exception as error:
                await client.failed(error)
            # Others are served between two messages, however fast they come.
            await asyncio.sleep(0)
    finally:
        # Also when the server stops and cancels us: then nobody says `disconnect`.
        try:
            await client.closed()
        except Exception:
            # The socket is gone, so only the log can say it.
            logger.exception("A websocket has ended, and something of it could not be let go of.")


async def told(send: Send, message: dict[str, Any]) -> None:
    """Send a message of ASGI; nothing comes of it when the browser has gone, which `websocket.disconnect` tells next.

    Between the end of a connection and that message there is a while in which the server refuses what is sent.
    """
    try:
        await send(message)
    except Disconnected:
        return


async def close_socket(send: Send, code: int) -> None:
    """End a connection. Raises `ValueError` for a code that the server cannot send: the socket would stay open."""
    if code != NORMAL and code not in OWN_CODES:
        raise ValueError(f"{code} is no close code of ours")
    # A bare number: the server takes no other kind of it.
    await told(send, {"type": "websocket.close", "code": int(code)})
