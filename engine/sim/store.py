"""`SimulatedStore`: a disk that fails on demand, in one of four ways.

It is the store in memory with its contract; what was committed survives the process that dies. A commit that is torn
is interrupted between two of its rows and leaves none of them, which the undoing of the store in memory has to prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.database import DatabaseState
from engine.core.exchange.changes import PutCatalog, StateChange
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Refusal, Reply
from engine.core.vocabulary.identifiers import DatabaseName, EventSequence, InstanceName
from engine.core.vocabulary.limits import EVENTS_KEPT
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import put_together
from engine.storage.errors import StoreFailed
from engine.storage.memory import MemoryStore

OUT_OF_REACH: Final = frozenset({911, 954})
"""The database is not here, or is a mirror copy now."""
PASSING: Final = OUT_OF_REACH | {1222}
"""Refusals that say something about this moment only; 1222: another session has locked the conversation group."""

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

    def __init__(self, instance: InstanceName, on_commit: OnCommit, events_kept: int = EVENTS_KEPT) -> None:
        super().__init__(instance, events_kept)
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

    def backup_of(self, database: DatabaseName, taken_at: UtcTime) -> DatabaseBackup:
        """A database as the disk has it, as if its files were copied. `KeyError` when it is not there."""
        state = self.load()
        rows = next(rows for rows in put_together(state.databases) if rows.name == database)
        return DatabaseBackup(definition=state.catalog.databases[database], rows=rows, taken_at=taken_at)

    def set_state(self, database: DatabaseName, state: DatabaseState) -> None:
        """Mark a database whose process is dead; the engine finds the mark when it starts."""
        catalog = self.load().catalog
        catalog.databases[database].state = state
        changes = [PutCatalog(catalog=catalog)]
        super().commit(changes, [])
        self._on_commit(changes, [])

    def adopt_replies(self, other: SimulatedStore) -> None:
        """Know what was answered elsewhere: callers keep that beside their data, so it moves with the database.

        Refusals of the moment stay where they were: whoever was refused there may be served here.
        """
        self._replies.update({key: reply for key, reply in other._replies.items() if not is_passing(reply)})

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


def is_passing(reply: Reply) -> bool:
    """Whether another attempt may be answered otherwise."""
    return isinstance(reply, Refusal) and reply.number in PASSING
