"""Requests that are answered at once, and those that wait in line for them."""

from __future__ import annotations

import asyncio

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, Scope


def in_line(application: ASGI3Application, most: int) -> ASGI3Application:
    """ASGI middleware: at most `most` requests are in `application` at once; further ones wait for their turn.

    Each request in it has a thread and a connection to the database.
    """
    places = asyncio.Semaphore(most)

    async def wait_and_answer(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        async with places:
            await application(scope, receive, send)

    return wait_and_answer
