"""Requests that wait with a WAITFOR: as long as their browser does, and never at the cost of other requests.

A request waits on its own thread and one of few others, with no database connection in its hands. When its browser
goes away, Django cancels it; the instance is then told, so that no message is handed to nobody.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import BoundedSemaphore
from typing import Final, TypeVar

from asgiref.sync import async_to_sync
from django.db import connection

from brokerweb.common.disconnects import client_has_disconnected
from brokerweb.common.errors import EngineRefused
from brokerweb.operations.services.commands import COMMAND_SECONDS, Somewhere, reply_to
from engine import api as engine

WAIT_SECONDS_MAX: Final = 30
"""Less than what proxies commonly give an answer; who wants to wait longer asks again."""

WAITING_REQUESTS_MAX: Final = 32
"""Requests of one process that wait at once."""

AGAIN_SECONDS: Final = 0.1
"""How long the instance may take to end a wait before the request is repeated."""

_threads: Final = ThreadPoolExecutor(WAITING_REQUESTS_MAX, thread_name_prefix="waiting-request")
_places: Final = BoundedSemaphore(WAITING_REQUESTS_MAX)

R = TypeVar("R")


def reply_in_time(place: Somewhere, command: engine.Command, kind: type[R]) -> R:
    """As `reply_to`, for a command that may wait. Raises `EngineRefused`, also when too many wait already (1204)."""
    if not _places.acquire(blocking=False):
        detail = "Too many requests wait for messages"
        raise EngineRefused(engine.LocalProtocolError(1204, detail=detail, limit=WAITING_REQUESTS_MAX))
    try:
        if not connection.in_atomic_block:
            connection.close()
        return async_to_sync(_reply_unless_cancelled)(place, command, kind)
    finally:
        _places.release()


async def _reply_unless_cancelled(place: Somewhere, command: engine.Command, kind: type[R]) -> R:
    if client_has_disconnected():
        # The cancellation came too early to reach this task.
        raise asyncio.CancelledError
    loop = asyncio.get_running_loop()
    answer = loop.run_in_executor(_threads, partial(reply_to, place, command, kind))
    try:
        return await asyncio.shield(answer)
    except asyncio.CancelledError:
        # Nobody is there any more to read what may still come of it.
        answer.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        while not answer.done():
            # An instance that the command has not reached yet knows of nothing to give up.
            await asyncio.shield(loop.run_in_executor(None, _give_up, place, command))
            await asyncio.wait([answer], timeout=AGAIN_SECONDS)
        raise


def _give_up(place: Somewhere, command: engine.Command) -> None:
    try:
        engine.cancel_wait(place.estate, place.instance, command.command_id, timeout_seconds=COMMAND_SECONDS)
    except engine.EngineUnavailable:
        # An instance that is gone has forgotten who waited.
        return
