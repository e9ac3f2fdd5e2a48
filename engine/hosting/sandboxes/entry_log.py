"""`EntryLog`: where logs of sandboxes are kept, as a port; and its twin in memory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import Enum, auto
from threading import Lock
from typing import Protocol

from engine.sandbox.actions import Entry
from engine.sandbox.spec import SandboxSpec


class Append(Enum):
    """What became of a line that was to be written."""

    WRITTEN = auto()
    TAKEN = auto()
    """There is one of its number: somebody else was first. Nothing was written."""
    CLOSED = auto()
    """The log takes no more lines of that kind, or none at all. Nothing was written."""
    FULL = auto()
    """The log has as many bytes as it may have. Nothing was written."""


class EntryLog(Protocol):
    """Logs by the names of sandboxes. Threads may ask it at the same time."""

    bytes_max: int
    """How much one log may have; then `append` answers `FULL`."""

    def spec(self, name: str) -> SandboxSpec | None:
        """What a sandbox began with; None when there is none of that name. It never changes."""
        ...

    def read_after(self, name: str, sequence: int) -> Sequence[Entry]:
        """All lines later than `sequence`, in order."""
        ...

    def append(self, name: str, entry: Entry) -> Append:
        """Write a line durably, unless there is one of its number or the log takes no more."""
        ...


class MemoryEntryLog:
    """For one process, and gone with it."""

    bytes_max = sys.maxsize

    def __init__(self) -> None:
        self._specs: dict[str, SandboxSpec] = {}
        self._entries: dict[str, list[Entry]] = {}
        self._closed: set[str] = set()
        self._lock = Lock()

    def open(self, name: str, spec: SandboxSpec) -> None:
        """A new sandbox, in the place of one of that name."""
        with self._lock:
            self._specs[name], self._entries[name] = spec, []

    def spec(self, name: str) -> SandboxSpec | None:
        """What it began with."""
        return self._specs.get(name)

    def read_after(self, name: str, sequence: int) -> Sequence[Entry]:
        """All lines later than `sequence`."""
        return tuple(self._entries.get(name, ())[sequence:])

    def close(self, name: str) -> None:
        """From now on nothing more is written there."""
        with self._lock:
            self._closed.add(name)

    def append(self, name: str, entry: Entry) -> Append:
        """Write a line unless there is one of its number, or the log is closed."""
        with self._lock:
            entries = self._entries[name]
            if name in self._closed:
                return Append.CLOSED
            if entry.sequence != len(entries) + 1:
                return Append.TAKEN
            entries.append(entry)
            return Append.WRITTEN
