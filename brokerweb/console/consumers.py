"""The websocket of the console: wires a `ConsoleClient` to ASGI, decides nothing."""

from __future__ import annotations

from typing import Any

from brokerweb.common.origin import origin_of_socket
from brokerweb.common.sockets import told
from brokerweb.console.services.client import ConsoleClient
from brokerweb.live.services.hub import shared_hub


async def console_socket(scope: Any, receive: Any, send: Any) -> None:
    """One browser, until its socket is closed."""

    async def say(text: str) -> None:
        await told(send, {"type": "websocket.send", "text": text})

    async def close(code: int) -> None:
        # A bare number: the server takes no other kind of it, and would say 1011 instead.
        await told(send, {"type": "websocket.close", "code": int(code)})

    client = ConsoleClient(
        shared_hub().doorman,
        session_key=scope["session"].session_key,
        origin=origin_of_socket(scope),
        send=say,
        close=close,
    )
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
