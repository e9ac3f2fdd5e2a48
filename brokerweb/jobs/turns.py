"""Long jobs of a process: one at a time of each turn, and none of them holds up its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock

_turns: defaultdict[str, Lock] = defaultdict(Lock)
_stopping = Event()


@contextmanager
def take_turn(name: str) -> Iterator[bool]:
    """Whether no other job of this process has the turn; no other one gets it until this is left."""
    turn = _turns[name]
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
