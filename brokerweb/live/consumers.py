"""The websocket of the live view: wires a `LiveClient` to ASGI, decides nothing."""

from __future__ import annotations

from functools import partial
from typing import Any

from brokerweb.common.sockets import close_socket, serve_socket, told
from brokerweb.live.protocol import Code
from brokerweb.live.services.client import LiveClient
from brokerweb.live.services.hub import shared_hub


async def live_socket(scope: Any, receive: Any, send: Any) -> None:
    """One browser, until its socket is closed."""
    await serve_socket(_client(scope, send), receive, send)


async def foreign_socket(scope: Any, receive: Any, send: Any) -> None:
    """A page of another site: it hears why, and nothing else."""
    await receive()
    await send({"type": "websocket.accept"})
    await _client(scope, send).refuse(Code.ORIGIN)


async def unknown_socket(_scope: Any, receive: Any, send: Any) -> None:
    """There is nothing at this address."""
    await receive()
    await send({"type": "websocket.close"})


def _client(scope: Any, send: Any) -> LiveClient:
    async def say(text: str) -> None:
        await told(send, {"type": "websocket.send", "text": text})

    key = scope["session"].session_key if "session" in scope else None
    return LiveClient(shared_hub(), session_key=key, send=say, close=partial(close_socket, send))
