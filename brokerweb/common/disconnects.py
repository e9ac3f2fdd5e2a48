"""Whether the client of the request that is being answered has disconnected.

Django cancels the task of such a request, but asgiref loses a cancellation that comes before the view's first await:
the view then runs on for a client that has gone. Here the disconnect is noted before Django hears of it.
"""

from __future__ import annotations

from contextvars import ContextVar
from threading import Event

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope

_disconnected: ContextVar[Event | None] = ContextVar("disconnected", default=None)


def client_has_disconnected() -> bool:
    """Whether the client of the current request is gone; False outside requests."""
    disconnected = _disconnected.get()
    return disconnected is not None and disconnected.is_set()


def noting_disconnects(application: ASGI3Application) -> ASGI3Application:
    """ASGI middleware for HTTP, around Django's application: `client_has_disconnected` knows within it."""

    async def noting(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        disconnected = Event()
        _disconnected.set(disconnected)

        async def receive_and_note() -> ASGIReceiveEvent:
            message = await receive()
            if message["type"] == "http.disconnect":
                disconnected.set()
            return message

        await application(scope, receive_and_note, send)

    return noting
