"""`Replicas`: sandboxes in the memory of one process, each used by one thread at a time, a bounded number of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Final

from engine.sandbox.sandbox import Sandbox


class Replica:
    """A sandbox as far as this process has brought it. Whoever uses it holds the lock."""

    def __init__(self) -> None:
        self.lock: Final = RLock()
        self.sandbox: Sandbox | None = None
        self.unkept_seconds = 0.0
        """Work of a processor in it that no snapshot has."""


class Replicas:
    """By the names of sandboxes; the ones that were asked for the longest time ago are forgotten."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._found: Final[OrderedDict[str, Replica]] = OrderedDict()
        self._lock: Final = Lock()

    @contextmanager
    def held(self, name: str) -> Iterator[Replica]:
        """The replica of a sandbox, nobody else's meanwhile; one that is forgotten is still its user's to the end."""
        with self._lock:
            replica = self._found.setdefault(name, Replica())
            self._found.move_to_end(name)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        with replica.lock:
            try:
                yield replica
            except BaseException:
                if replica.sandbox is None:
                    self.forget(name)
                raise

    def forget(self, name: str) -> None:
        """Keep none of a sandbox any more; harmless when there is none."""
        with self._lock:
            self._found.pop(name, None)
