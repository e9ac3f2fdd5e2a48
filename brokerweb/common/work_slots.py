"""A bound on expensive work that requests of one process do at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore


class NoSlot(Exception):
    """As many wait for a slot already as may wait."""


class WorkSlots:
    """`slots` threads work at once, and at most `waiting_max` more wait for one to end."""

    def __init__(self, slots: int, waiting_max: int) -> None:
        self._free = BoundedSemaphore(slots)
        self._admitted = BoundedSemaphore(slots + waiting_max)

    @contextmanager
    def one(self) -> Iterator[None]:
        """Work in a slot, once one is free. Raises `NoSlot` at once if too many wait."""
        if not self._admitted.acquire(blocking=False):
            raise NoSlot
        try:
            with self._free:
                yield
        finally:
            self._admitted.release()
