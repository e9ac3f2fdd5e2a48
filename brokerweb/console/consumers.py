"""The websocket of the console: wires a `ConsoleClient` to ASGI, decides nothing."""

from __future__ import annotations

from functools import partial
from typing import Any

from brokerweb.common.origin import origin_of_socket
from brokerweb.common.sockets import close_socket, serve_socket, told
from brokerweb.console.services.client import ConsoleClient
from brokerweb.live.services.hub import shared_hub


async def console_socket(scope: Any, receive: Any, send: Any) -> None:
    """One browser, until its socket is closed."""

    async def say(text: str) -> None:
        await told(send, {"type": "websocket.send", "text": text})

    client = ConsoleClient(
        shared_hub().doorman,
        session_key=scope["session"].session_key,
        origin=origin_of_socket(scope),
        send=say,
        close=partial(close_socket, send),
    )
    await serve_socket(client, receive, send)
