"""`SimulatedStore`: a disk that fails on demand, in one of four ways.

It is the store in memory with its contract; what was committed survives the process that dies. A commit that is torn
is interrupted between two of its rows and leaves none of them, which the undoing of the store in memory has to prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

from engine.core.exchange.changes import StateChange
from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.identifiers import EventSequence, InstanceName
from engine.storage.errors import StoreFailed
from engine.storage.memory import MemoryStore

OnCommit = Callable[[Sequence[StateChange], Sequence[BrokerEvent]], None]


class PowerLost(Exception):
    """The process is dead; nobody may catch this but whoever runs the world."""


class CommitFault(StrEnum):
    """What befalls the next commit."""

    BEFORE = "crash before commit"
    TORN = "crash in the middle of a commit"
    AFTER = "crash after commit"


class SimulatedStore(MemoryStore):
    """The durable state of one instance, and what befalls it."""

    def __init__(self, instance: InstanceName, on_commit: OnCommit) -> None:
        super().__init__(instance)
        self.next_fault: CommitFault | None = None
        """Armed by a fault, gone when it has struck. A commit is what it strikes, nothing else."""
        self.torn_share = 0.5
        """Which share of the rows of a torn commit is written before it breaks, from 0 to 1."""
        self.is_full = False
        self._on_commit = on_commit

    def commit(self, changes: Iterable[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Keep all of it or nothing. `StoreFailed` when the disk is full, `PowerLost` when the process dies."""
        changes = tuple(changes)
        fault, self.next_fault = self.next_fault, None
        if self.is_full:
            raise StoreFailed("No space left on device")
        if fault is CommitFault.BEFORE:
            raise PowerLost(fault)
        if fault is CommitFault.TORN:
            self._tear(changes, events)
        first = super().commit(changes, events)
        self._on_commit(changes, events)
        if fault is CommitFault.AFTER:
            raise PowerLost(fault)
        return first

    def _tear(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> None:
        try:
            super().commit(_torn(changes, int(len(changes) * self.torn_share)), events)
        except StoreFailed as error:
            raise PowerLost(CommitFault.TORN) from error
        # Nothing was written after the last row: the batch was whole, and the process dies with it kept.
        self._on_commit(changes, events)
        raise PowerLost(CommitFault.AFTER)


def _torn(changes: Sequence[StateChange], written: int) -> Iterator[StateChange]:
    """The first changes; before another one the power goes."""
    yield from changes[:written]
    if written < len(changes):
        raise StoreFailed("the power went")
