"""Tasks that answer later: no thread of a worker waits with a WAITFOR, and no asker in its process polls for it.

Such a task ends without a result (Celery's `Ignore`), and its result is stored when there is one. Brokers push results
to whoever waits for them; where results are in memory, this module does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeVar

from celery.exceptions import Ignore

T = TypeVar("T")

_storing: Final = ThreadPoolExecutor(1, thread_name_prefix="engine-late-answers")
"""A result store may be slow, and the engine's loop must not wait for it."""

_arrivals: Final[dict[str, threading.Event]] = {}
"""Askers of this process, by the id of their task."""


def answer_later(task: Any, begin: Callable[[], Future[T]], encode: Callable[[T], str]) -> NoReturn:
    """End a bound task without a result; it gets what comes of `begin`, or its error, when that is there.

    Raises `Ignore`, and whatever `begin` raises at once.
    """
    request, backend = task.request, task.backend
    try:
        answer = begin()
    except BaseException:
        _tell(request.id)
        raise
    answer.add_done_callback(lambda done: _storing.submit(_store, backend, request, done, encode))
    raise Ignore


def _store(backend: Any, request: Any, done: Future[T], encode: Callable[[T], str]) -> None:
    try:
        backend.mark_as_done(request.id, encode(done.result()), request=request)
    except Exception as error:
        backend.mark_as_failure(request.id, error, request=request)
    finally:
        _tell(request.id)


def _tell(task_id: str) -> None:
    arrival = _arrivals.get(task_id)
    if arrival is not None:
        arrival.set()


@contextmanager
def arrival_of(task_id: str) -> Iterator[threading.Event]:
    """Set when the answer of a task is there, if this process hosts it; enter before the task is sent."""
    arrival = _arrivals[task_id] = threading.Event()
    try:
        yield arrival
    finally:
        del _arrivals[task_id]
