"""The deliveries of a process and their end: those under way are waited for, and no further one begins.

A delivery asks the engine, and in the process of `make run` the engine ends with it: whatever then still asked would
wait for an answer that nobody gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Deliveries:
    """Counts them, in whatever threads they are."""

    def __init__(self) -> None:
        self._change = Condition()
        self._under_way = 0
        self._have_ended = False

    @contextmanager
    def one(self) -> Iterator[bool]:
        """Around a delivery: whether it may begin."""
        with self._change:
            may_begin = not self._have_ended
            self._under_way += may_begin
        try:
            yield may_begin
        finally:
            with self._change:
                self._under_way -= may_begin
                self._change.notify_all()

    def begin(self) -> None:
        """Let them begin, also after an end."""
        with self._change:
            self._have_ended = False

    def end(self, seconds_max: float) -> bool:
        """Let none begin, and wait for those under way; False when some are not done by then."""
        with self._change:
            self._have_ended = True
            return self._change.wait_for(lambda: self._under_way == 0, seconds_max)
