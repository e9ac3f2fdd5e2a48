"""Websockets that are open, counted around the application that serves them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from prometheus_client import Gauge

from brokerweb.config.metrics.registry import REGISTRY

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

CLIENTS = Gauge("brokerweb_web_websocket_clients", "Browsers whose websocket is open.", registry=REGISTRY)


def counted_sockets(application: Application) -> Application:
    """The ASGI application, counted from the first word of a client to the end, however it ends."""

    async def serve(scope: dict[str, Any], receive: Any, send: Any) -> None:
        with CLIENTS.track_inprogress():
            await application(scope, receive, send)

    return serve
