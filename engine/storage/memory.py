"""`MemoryStore`: the contract of a store without a disk, for tests and simulated worlds.

It keeps copies where values can change, so that what was committed cannot be altered from outside, and undoes a
commit that fails in the middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, TypeVar, assert_never

import msgspec

from engine.contracts.codec import binary_catalog_decoder, binary_encoder
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropEndpoint,
    PutCatalog,
    PutCommandReply,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.limits import COMMAND_REPLIES_KEPT, EVENTS_KEPT
from engine.core.vocabulary.rows import ConversationEndpoint, DatabaseRows, QueueRow, TransmissionRow
from engine.runtime.ports import InstanceState
from engine.storage.errors import StoreFailed

Key = TypeVar("Key")
Value = TypeVar("Value")

_ABSENT: Final = object()
"""Stands for no row, where None could be one."""


class _Database:
    """Rows of one database by their keys."""

    def __init__(self) -> None:
        self.endpoints: dict[ConversationHandle, ConversationEndpoint] = {}
        self.transmission: dict[ConversationHandle, dict[int, TransmissionRow]] = {}
        self.messages: dict[int, tuple[QueueName, QueueRow]] = {}


class MemoryStore:
    """The state of one instance in memory; gone with the object."""

    def __init__(self, instance: InstanceName) -> None:
        self._catalog = binary_encoder.encode(InstanceCatalog(name=instance))
        self._databases: dict[DatabaseName, _Database] = {}
        self._replies: dict[CommandId, Reply] = {}
        self._events: dict[EventSequence, BrokerEvent] = {}
        self._last_event = 0
        self._undo: list[tuple[dict[Any, Any], object, object]] = []
        """Of each row written since the commit began: where, its key, and what was there."""

    def load(self) -> InstanceState:
        """Everything kept so far."""
        catalog = binary_catalog_decoder.decode(self._catalog)
        names = dict.fromkeys((*catalog.databases, *self._databases))
        return InstanceState(
            catalog=catalog,
            databases=[self._rows(name) for name in names],
            last_event=EventSequence(self._last_event),
        )

    def reply_of(self, command_id: CommandId) -> Reply | None:
        """The stored reply of a command that was seen before."""
        return self._replies.get(command_id)

    def commit(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Keep all of it or nothing; answer the number of the first event."""
        self._undo.clear()
        catalog = self._catalog
        try:
            for change in changes:
                self._obey(change)
        except StoreFailed:
            self._catalog = catalog
            self._roll_back()
            raise
        first = self._last_event + 1
        self._events |= {EventSequence(number): event for number, event in enumerate(events, start=first)}
        self._last_event += len(events)
        _forget_oldest(self._events, EVENTS_KEPT)
        _forget_oldest(self._replies, COMMAND_REPLIES_KEPT)
        return EventSequence(first)

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        oldest = next(iter(self._events), self._last_event + 1)
        start = max(sequence + 1, oldest)
        numbers = map(EventSequence, range(start, min(start + limit, self._last_event + 1)))
        return [(number, self._events[number]) for number in numbers]

    def close(self) -> None:
        """Nothing to let go of."""

    def _rows(self, name: DatabaseName) -> DatabaseRows:
        database = self._databases.get(name, _Database())
        queues: dict[QueueName, list[QueueRow]] = {}
        for _, (queue, row) in sorted(database.messages.items()):
            queues.setdefault(queue, []).append(row)
        return DatabaseRows(
            name=name,
            endpoints=list(database.endpoints.values()),
            transmission=[
                row
                for _, rows in sorted(database.transmission.items(), key=lambda item: item[0].bytes)
                for _, row in sorted(rows.items())
            ],
            queues=queues,
        )

    def _obey(self, change: StateChange) -> None:
        match change:
            case PutCatalog():
                self._catalog = binary_encoder.encode(change.catalog)
            case PutCommandReply():
                self._put(self._replies, change.command_id, change.reply)
            case DropDatabaseRows():
                self._remove(self._databases, change.database)
            case _:
                self._obey_in(self._database(change.database), change)

    def _obey_in(
        self,
        database: _Database,
        change: PutEndpoint
        | DropEndpoint
        | AppendTransmission
        | TrimTransmission
        | AppendQueue
        | SetQueueRowStatus
        | SetQueueRowGroup
        | AdmitQueueRows
        | RemoveQueue,
    ) -> None:
        match change:
            case PutEndpoint():
                self._put(database.endpoints, change.endpoint.conversation_handle, change.endpoint)
            case DropEndpoint():
                self._remove(database.endpoints, change.conversation_handle)
            case AppendTransmission():
                rows = self._conversation(database, change.row.conversation_handle)
                self._append(rows, change.row.message_sequence_number, change.row)
            case TrimTransmission():
                rows = database.transmission.get(change.conversation_handle, {})
                for number in [number for number in rows if number <= change.through]:
                    self._remove(rows, number)
            case AppendQueue():
                self._append(database.messages, change.row.queuing_order, (change.queue, change.row))
            case SetQueueRowStatus():
                self._revise(database, change, status=change.status)
            case SetQueueRowGroup():
                self._revise(database, change, conversation_group_id=change.conversation_group_id)
            case AdmitQueueRows():
                self._revise(database, change, awaits_queue=False)
            case RemoveQueue():
                for order in self._present(database, change.queue, change.queuing_orders):
                    self._remove(database.messages, order)
            case _:
                assert_never(change)

    def _revise(
        self, database: _Database, change: SetQueueRowStatus | SetQueueRowGroup | AdmitQueueRows, **fields: object
    ) -> None:
        """Replace fields of the messages that a change names."""
        for order in self._present(database, change.queue, change.queuing_orders):
            row = msgspec.structs.replace(database.messages[order][1], **fields)
            self._put(database.messages, order, (change.queue, row))

    @staticmethod
    def _present(database: _Database, queue: QueueName, orders: Sequence[int]) -> list[int]:
        return [order for order in orders if order in database.messages and database.messages[order][0] == queue]

    def _database(self, name: DatabaseName) -> _Database:
        if name not in self._databases:
            self._put(self._databases, name, _Database())
        return self._databases[name]

    def _conversation(self, database: _Database, handle: ConversationHandle) -> dict[int, TransmissionRow]:
        rows = database.transmission.get(handle)
        if rows is None:
            rows = {}
            self._put(database.transmission, handle, rows)
        return rows

    def _append(self, rows: dict[Key, Value], key: Key, value: Value) -> None:
        if key in rows:
            raise StoreFailed(f"a row with the key {key} exists")
        self._put(rows, key, value)

    def _put(self, rows: dict[Key, Value], key: Key, value: Value) -> None:
        self._undo.append((rows, key, rows.get(key, _ABSENT)))
        rows[key] = value

    def _remove(self, rows: dict[Key, Value], key: Key) -> None:
        self._undo.append((rows, key, rows.pop(key, _ABSENT)))

    def _roll_back(self) -> None:
        for rows, key, before in reversed(self._undo):
            if before is _ABSENT:
                rows.pop(key, None)
            else:
                rows[key] = before


def _forget_oldest(rows: dict[Key, Value], kept: int) -> None:
    for key in list(islice(rows, max(len(rows) - kept, 0))):
        del rows[key]
