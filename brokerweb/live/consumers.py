"""The websocket of the live view: wires a `LiveClient` to ASGI, decides nothing."""

from __future__ import annotations

from typing import Any

from brokerweb.common.sockets import told
from brokerweb.live.protocol import Code
from brokerweb.live.services.client import LiveClient
from brokerweb.live.services.hub import shared_hub


async def live_socket(scope: Any, receive: Any, send: Any) -> None:
    """One browser, until its socket is closed."""
    client = _client(scope, send)
    try:
        while True:
            event = await receive()
            if event["type"] == "websocket.connect":
                await send({"type": "websocket.accept"})
                await client.opened()
            elif event["type"] == "websocket.receive":
                await client.received(event.get("text") or "")
            else:
                return
    finally:
        # Also when the server stops and cancels us: then nobody says `disconnect`.
        await client.closed()


async def foreign_socket(scope: Any, receive: Any, send: Any) -> None:
    """A page of another site: it hears why, and nothing else."""
    await receive()
    await send({"type": "websocket.accept"})
    await _client(scope, send).refuse(Code.ORIGIN)


def _client(scope: Any, send: Any) -> LiveClient:
    async def say(text: str) -> None:
        await told(send, {"type": "websocket.send", "text": text})

    async def close(code: int) -> None:
        # A bare number: the server takes no other kind of it, and would say 1011 instead.
        await told(send, {"type": "websocket.close", "code": int(code)})

    key = scope["session"].session_key if "session" in scope else None
    return LiveClient(shared_hub(), session_key=key, send=say, close=close)
