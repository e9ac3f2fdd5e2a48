"""The body of a request, handed from the server to Django as it is: once in memory, never on disk.

Django reads a body from the server piece by piece into a file of its own. Where the server has the whole body already,
Django gets that very file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO
from typing import IO, Any

from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler

_body: ContextVar[BytesIO | None] = ContextVar("body", default=None)


@contextmanager
def handed_over(body: BytesIO) -> Iterator[None]:
    """Applications that are started within have this body; what the server sends them as body is empty."""
    token = _body.set(body)
    try:
        yield
    finally:
        _body.reset(token)


class BodyHandler(ASGIHandler):
    """Django's handler, which takes the body that was handed over; without one, that of ASGI's messages."""

    async def read_body(self, receive: Callable[[], Awaitable[dict[str, Any]]]) -> IO[bytes]:
        """The body at its beginning. Raises `RequestAborted` when the client has gone."""
        body = _body.get()
        if body is None:
            return await super().read_body(receive)  # type: ignore[no-any-return]
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAborted
        body.seek(0)
        return body
