"""Long jobs of a process: one at a time on each queue of its own, and none of them holds up its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

_turns: defaultdict[str, Lock] = defaultdict(Lock)
_stopping = Event()


@contextmanager
def turn_on(queue: str) -> Iterator[bool]:
    """Whether nobody else of this process does a job of the queue; nobody else gets to, until this is left."""
    turn = _turns[queue]
    is_ours = turn.acquire(blocking=False)
    try:
        yield is_ours
    finally:
        if is_ours:
            turn.release()


def jobs_stop() -> None:
    """This process is about to end: jobs on queues of their own end when they next tell how far they are."""
    _stopping.set()


def is_stopping() -> bool:
    """Whether `jobs_stop` was called."""
    return _stopping.is_set()


def jobs_go_on() -> None:
    """Take it back, where a process starts its worker once more."""
    _stopping.clear()
