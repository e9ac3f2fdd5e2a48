"""`Shelf`: snapshots of sandboxes, so that nobody begins at their first second again. It may forget any of them."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from engine.sandbox.sandbox import Sandbox
from engine.sandbox.snapshot import Snapshot

BYTES_MAX: Final = 64 * 1024 * 1024
OF_ONE_MAX: Final = 16
"""Snapshots of one sandbox; when there are more, every second one goes, so that the others lie twice as far apart."""


class Shelf:
    """By the names of sandboxes. Threads may use it at the same time."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._bytes_max: Final = bytes_max
        self._kept: Final[OrderedDict[str, list[Snapshot]]] = OrderedDict()
        """Of each sandbox, the earliest first."""
        self._bytes = 0
        self._lock: Final = Lock()

    def keep(self, name: str, sandbox: Sandbox) -> None:
        """Have it as it is now. What cannot be copied is not kept: its log is enough."""
        try:
            snapshot = Snapshot(sandbox)
        except RecursionError:
            return
        with self._lock:
            kept = self._kept.setdefault(name, [])
            self._kept.move_to_end(name)
            kept.append(snapshot)
            self._bytes += snapshot.size
            kept.sort(key=_place)
            if len(kept) > OF_ONE_MAX:
                self._drop(name, kept[1:-1:2])
            while self._bytes > self._bytes_max and self._kept:
                oldest = next(iter(self._kept))
                self._drop(oldest, list(self._kept[oldest]))

    def nearest(self, name: str, sequence: int, seconds: float) -> Snapshot | None:
        """The latest one before a place of the log and a second, or at them; None when there is none."""
        with self._lock:
            found = [each for each in self._kept.get(name, ()) if each.sequence <= sequence and each.seconds <= seconds]
            return found[-1] if found else None

    def drop(self, name: str, snapshot: Snapshot) -> None:
        """It has turned out to be of a course that the log does not take."""
        with self._lock:
            self._drop(name, [snapshot])

    def forget(self, name: str) -> None:
        """Keep none of a sandbox any more."""
        with self._lock:
            self._drop(name, list(self._kept.get(name, ())))

    def _drop(self, name: str, gone: list[Snapshot]) -> None:
        kept = self._kept.get(name, [])
        for snapshot in gone:
            if snapshot in kept:
                kept.remove(snapshot)
                self._bytes -= snapshot.size
        if not kept:
            self._kept.pop(name, None)


def _place(snapshot: Snapshot) -> tuple[int, float]:
    return snapshot.sequence, snapshot.seconds
