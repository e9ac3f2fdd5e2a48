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

from engine.core.transmission.links import EndpointKey
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle, ConversationId, DatabaseName
from engine.core.vocabulary.moment import UtcTime

Key = TypeVar("Key")
_Wake = tuple[UtcTime, int, EndpointKey]


class WorkRow(msgspec.Struct, frozen=True, kw_only=True):
    """One object: what it is found by, and the rest as bytes that only its owner reads."""

    serial: int
    """Place in the order in which the objects of the instance were made; unique."""
    database: DatabaseName
    conversation_handle: ConversationHandle
    conversation_id: ConversationId
    is_initiator: bool
    conversation_group_id: ConversationGroupId
    wake_at: UtcTime | None
    """When something is to be done with it; None for never."""
    body: bytes

    @property
    def key(self) -> EndpointKey:
        """By which the instance knows it."""
        return self.database, self.conversation_handle


class WorkTable(Protocol):
    """Rows by their keys. A row is in it once: whoever takes it out removes it, whoever changed it writes it again."""

    def write(self, rows: Sequence[WorkRow]) -> None:
        """Keep rows whose keys are not in the table."""
        ...

    def remove(self, key: EndpointKey) -> None:
        """Forget a row; harmless when it is not there."""
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

    def due(self, now: UtcTime, limit: int) -> Sequence[EndpointKey]:
        """At most `limit` rows whose time has come, the earliest first."""
        ...

    def next_wake(self) -> UtcTime | None:
        """The earliest `wake_at`; None when no row has one."""
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
        self._rows: dict[EndpointKey, WorkRow] = {}
        self._sides: dict[tuple[ConversationId, bool], dict[int, WorkRow]] = {}
        self._groups: dict[tuple[DatabaseName, ConversationGroupId], dict[int, WorkRow]] = {}
        self._wakes: list[_Wake] = []
        self._in_order: list[WorkRow] | None = None
        """Every row by its serial number; None after a change."""

    def write(self, rows: Sequence[WorkRow]) -> None:
        """Keep rows whose keys are not in the table."""
        self._in_order = None
        for row in rows:
            self._rows[row.key] = row
            self._sides.setdefault((row.conversation_id, row.is_initiator), {})[row.serial] = row
            if row.wake_at is not None:
                heapq.heappush(self._wakes, (row.wake_at, row.serial, row.key))
            self._groups.setdefault((row.database, row.conversation_group_id), {})[row.serial] = row

    def remove(self, key: EndpointKey) -> None:
        """Forget a row; harmless when it is not there."""
        row = self._rows.pop(key, None)
        if row is not None:
            self._in_order = None
            _discard(self._sides, (row.conversation_id, row.is_initiator), row.serial)
            _discard(self._groups, (row.database, row.conversation_group_id), row.serial)

    def of_handle(self, key: EndpointKey) -> WorkRow | None:
        """The row of an endpoint."""
        return self._rows.get(key)

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
        if self._in_order is None:
            self._in_order = sorted(self._rows.values(), key=_serial)
        first = bisect_right(self._in_order, serial, key=_serial)
        return (row for row in islice(self._in_order, first, None) if database in (None, row.database))

    def due(self, now: UtcTime, limit: int) -> Sequence[EndpointKey]:
        """At most `limit` rows whose time has come, the earliest first."""
        found: dict[EndpointKey, _Wake] = {}
        while len(found) < limit and (wake := self._first_wake()) is not None and wake[0] <= now:
            found[wake[2]] = heapq.heappop(self._wakes)
        for wake in found.values():
            heapq.heappush(self._wakes, wake)
        return list(found)

    def next_wake(self) -> UtcTime | None:
        """The earliest `wake_at`; None when no row has one."""
        wake = self._first_wake()
        return wake[0] if wake is not None else None

    def _first_wake(self) -> _Wake | None:
        """The first entry that still stands; those of rows that were taken out meanwhile are thrown away."""
        while self._wakes:
            wake_at, _, key = self._wakes[0]
            row = self._rows.get(key)
            if row is not None and row.wake_at == wake_at:
                return self._wakes[0]
            heapq.heappop(self._wakes)
        return None

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def close(self) -> None:
        """Nothing to let go of."""


def _serial(row: WorkRow) -> int:
    return row.serial


def _discard(index: dict[Key, dict[int, WorkRow]], key: Key, serial: int) -> None:
    rows = index[key]
    del rows[serial]
    if not rows:
        del index[key]
