"""Where transmission objects are kept that nobody needs now (protocol.md 5): a table that need not survive a restart.

The vendor keeps them in work tables of tempdb. Everything in it can be made anew from the durable rows, so it is
neither synced nor part of a commit; it is the memory of the instance in a cheaper place.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

import msgspec

from engine.core.transmission.waiting_line import EndpointKey
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle, ConversationId, DatabaseName
from engine.core.vocabulary.moment import UtcTime

Key = TypeVar("Key")
_Wake = tuple[UtcTime, int]


class WorkRow(msgspec.Struct, frozen=True, kw_only=True):
    """One object as its owner gets it back."""

    serial: int
    """Place in the order in which the objects of the instance were made; unique."""
    database: DatabaseName
    body: bytes
    """Everything about it, for its owner alone to read."""


class WorkEntry(WorkRow, frozen=True, kw_only=True):
    """One object as it is written: with what it is found by."""

    conversation_handle: ConversationHandle
    conversation_id: ConversationId
    is_initiator: bool
    conversation_group_id: ConversationGroupId
    wake_at: UtcTime | None
    """When something is to be done with it; None for never."""

    @property
    def key(self) -> EndpointKey:
        """By which the instance knows it."""
        return self.database, self.conversation_handle


class WorkTable(Protocol):
    """Rows by their keys. A row is in it once: whoever takes it out writes it again, or says that it is gone.

    Of what a row is found by only the group and the time may differ when it is written again.
    """

    def write(self, entries: Sequence[WorkEntry]) -> None:
        """Keep rows that are not in the table."""
        ...

    def take_out(self, row: WorkRow) -> None:
        """A row that was found is in memory from now on; nothing finds it here until it is written again."""
        ...

    def forget(self, serial: int) -> None:
        """What was taken out, or never written, will not come back."""
        ...

    def of_handle(self, key: EndpointKey) -> WorkRow | None:
        """The row of an endpoint."""
        ...

    def of_conversation(self, conversation_id: ConversationId, is_initiator: bool) -> Sequence[WorkRow]:
        """The rows of one side of a conversation, the eldest first: a copy of a database has it, too."""
        ...

    def of_group(self, database: DatabaseName, group: ConversationGroupId) -> Sequence[WorkRow]:
        """The rows of a conversation group."""
        ...

    def after(self, serial: int, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Rows later than `serial`, in order, of a database or of all. The table is not changed meanwhile."""
        ...

    def back(self, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Every row of a database or of all, the latest first. The table is not changed meanwhile."""
        ...

    def due(self, now: UtcTime, limit: int) -> Sequence[WorkRow]:
        """At most `limit` rows whose time has come, the earliest first; whoever asks takes them out."""
        ...

    def next_wake(self) -> UtcTime | None:
        """Before which no row is due; None when no row has a time.

        It may be too early where a row was taken out; `due` finds nothing then, and the next answer is later.
        """
        ...

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def close(self) -> None:
        """Let go of it; nothing is kept."""
        ...


class MemoryWorkTable:
    """A work table in memory, for tests, simulated worlds and whoever has memory enough."""

    def __init__(self) -> None:
        self._rows: dict[int, WorkEntry] = {}
        self._handles: dict[EndpointKey, WorkEntry] = {}
        self._sides: dict[tuple[ConversationId, bool], dict[int, WorkEntry]] = {}
        self._groups: dict[tuple[DatabaseName, ConversationGroupId], dict[int, WorkEntry]] = {}
        self._wakes: list[_Wake] = []
        self._in_order: list[WorkEntry] | None = None
        """Every row by its serial number; None after a change."""

    def write(self, entries: Sequence[WorkEntry]) -> None:
        """Keep rows that are not in the table."""
        self._in_order = None
        for row in entries:
            self._rows[row.serial] = self._handles[row.key] = row
            self._sides.setdefault((row.conversation_id, row.is_initiator), {})[row.serial] = row
            if row.wake_at is not None:
                heapq.heappush(self._wakes, (row.wake_at, row.serial))
            self._groups.setdefault((row.database, row.conversation_group_id), {})[row.serial] = row

    def take_out(self, row: WorkRow) -> None:
        """A row that was found is in memory from now on; nothing finds it here until it is written again."""
        entry = self._rows.pop(row.serial)
        self._in_order = None
        del self._handles[entry.key]
        _discard(self._sides, (entry.conversation_id, entry.is_initiator), entry.serial)
        _discard(self._groups, (entry.database, entry.conversation_group_id), entry.serial)

    def forget(self, serial: int) -> None:
        """Nothing is left here of what was taken out."""

    def of_handle(self, key: EndpointKey) -> WorkRow | None:
        """The row of an endpoint."""
        return self._handles.get(key)

    def of_conversation(self, conversation_id: ConversationId, is_initiator: bool) -> Sequence[WorkRow]:
        """The rows of one side of a conversation, the eldest first: a copy of a database has it, too."""
        rows = self._sides.get((conversation_id, is_initiator), {})
        return [rows[serial] for serial in sorted(rows)]

    def of_group(self, database: DatabaseName, group: ConversationGroupId) -> Sequence[WorkRow]:
        """The rows of a conversation group."""
        rows = self._groups.get((database, group), {})
        return [rows[serial] for serial in sorted(rows)]

    def after(self, serial: int, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Rows later than `serial`, in order, of a database or of all. The table is not changed meanwhile."""
        in_order = self._all_in_order()
        first = bisect_right(in_order, serial, key=_serial)
        return (row for row in islice(in_order, first, None) if database in (None, row.database))

    def back(self, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Every row of a database or of all, the latest first. The table is not changed meanwhile."""
        return (row for row in reversed(self._all_in_order()) if database in (None, row.database))

    def _all_in_order(self) -> list[WorkEntry]:
        if self._in_order is None:
            self._in_order = sorted(self._rows.values(), key=_serial)
        return self._in_order

    def due(self, now: UtcTime, limit: int) -> Sequence[WorkRow]:
        """At most `limit` rows whose time has come, the earliest first; whoever asks takes them out."""
        found: dict[int, _Wake] = {}
        while len(found) < limit and (wake := self._first_wake()) is not None and wake[0] <= now:
            found[wake[1]] = heapq.heappop(self._wakes)
        for wake in found.values():
            heapq.heappush(self._wakes, wake)
        return [self._rows[serial] for serial in found]

    def next_wake(self) -> UtcTime | None:
        """Before which no row is due; None when no row has a time."""
        wake = self._first_wake()
        return wake[0] if wake is not None else None

    def _first_wake(self) -> _Wake | None:
        """The first entry that still stands; those of rows that were taken out meanwhile are thrown away."""
        while self._wakes:
            wake_at, serial = self._wakes[0]
            row = self._rows.get(serial)
            if row is not None and row.wake_at == wake_at:
                return self._wakes[0]
            heapq.heappop(self._wakes)
        return None

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def close(self) -> None:
        """Nothing to let go of."""


def _serial(row: WorkEntry) -> int:
    return row.serial


def _discard(index: dict[Key, dict[int, WorkEntry]], key: Key, serial: int) -> None:
    rows = index[key]
    del rows[serial]
    if not rows:
        del index[key]
