"""`MemoryStore`: the contract of a store without a disk, for tests and simulated worlds.

It keeps copies where values can change, so that what was committed cannot be altered from outside, and undoes a
commit that fails in the middle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby, islice, takewhile
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec

from engine.contracts.codec import binary_catalog_decoder, binary_encoder
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropDepartedSession,
    DropEndpoint,
    PutCatalog,
    PutCommandReply,
    PutDepartedSession,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.queues.places import is_plain
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.limits import COMMAND_REPLIES_KEPT, EVENTS_KEPT
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    DatabaseRows,
    DepartedSession,
    QueueRow,
    TransmissionRow,
    TransmissionSpan,
)
from engine.runtime.ports import InstanceState
from engine.storage.errors import StoreFailed
from engine.storage.portions import at_places, numbered_from, portion
from engine.storage.queue_spans import PlainMessage, spans_of

Key = TypeVar("Key")
Value = TypeVar("Value")

_PLACES_AT_ONCE: Final = 50
"""Messages of queues of one piece."""

_ABSENT: Final = object()
"""Stands for no row, where None could be one."""


class _Database:
    """Rows of one database by their keys."""

    def __init__(self) -> None:
        # Ids stand here by their numbers: hashing a UUID runs Python code.
        self.endpoints: dict[int, ConversationEndpoint] = {}
        self.transmission: dict[int, dict[int, TransmissionRow]] = {}
        self.messages: dict[int, tuple[QueueName, QueueRow]] = {}
        self.departed: dict[tuple[int, bool], DepartedSession] = {}


class MemoryStore:
    """The state of one instance in memory; gone with the object."""

    def __init__(self, instance: InstanceName, events_kept: int = EVENTS_KEPT) -> None:
        self._catalog = binary_encoder.encode(InstanceCatalog(name=instance))
        self._databases: dict[DatabaseName, _Database] = {}
        self._replies: dict[int, Reply] = {}
        self._events: deque[BrokerEvent] = deque(maxlen=events_kept)
        """The last ones, without a hole."""
        self._last_event = 0
        self._obey: Final[Mapping[type, Callable[[Any], None]]] = {
            AppendQueue: self._append_queue,
            AppendTransmission: self._append_transmission,
            PutEndpoint: self._put_endpoint,
            DropEndpoint: self._drop_endpoint,
            TrimTransmission: self._trim_transmission,
            RemoveQueue: self._remove_queue,
            SetQueueRowStatus: self._set_status,
            SetQueueRowGroup: self._set_group,
            AdmitQueueRows: self._admit,
            PutDepartedSession: self._put_departed,
            DropDepartedSession: self._drop_departed,
            DropDatabaseRows: self._drop_database,
            PutCatalog: self._put_catalog,
            PutCommandReply: self._put_reply,
        }
        self._undo: list[tuple[dict[Any, Any], object, object]] = []
        """Of each row written since the commit began: where, its key, and what was there."""

    def load(self, *, in_spans: bool = False) -> InstanceState:
        """Everything kept so far."""
        catalog = binary_catalog_decoder.decode(self._catalog)
        names = dict.fromkeys((*catalog.databases, *self._databases))
        return InstanceState(
            catalog=catalog,
            databases=[piece for name in names for piece in self._pieces(name, in_spans=in_spans)],
            last_event=EventSequence(self._last_event),
        )

    @property
    def last_event(self) -> EventSequence:
        """Number of the last event that was committed."""
        return EventSequence(self._last_event)

    def reply_of(self, command_id: CommandId) -> Reply | None:
        """The stored reply of a command that was seen before."""
        return self._replies.get(command_id.int)

    def commit(self, changes: Iterable[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Keep all of it or nothing; answer the number of the first event."""
        self._undo.clear()
        catalog = self._catalog
        try:
            obey = self._obey
            for change in changes:
                obey[type(change)](change)
        except StoreFailed:
            self._catalog = catalog
            self._roll_back()
            raise
        first = self._last_event + 1
        self._events.extend(events)
        self._last_event += len(events)
        _forget_oldest(self._replies, COMMAND_REPLIES_KEPT)
        return EventSequence(first)

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        oldest = self._last_event - len(self._events) + 1
        start = max(sequence + 1, oldest)
        wanted = islice(self._events, start - oldest, max(start - oldest + limit, 0))
        return [(EventSequence(number), event) for number, event in enumerate(wanted, start=start)]

    def transmission_rows(
        self, database: DatabaseName, conversation_handle: ConversationHandle, first: int
    ) -> Sequence[TransmissionRow]:
        """Committed messages of a conversation from the number `first` on, as many as are read at once."""
        found = self._databases.get(database, _Database()).transmission.get(conversation_handle.int, {})
        return numbered_from(first, portion(found[number] for number in takewhile(found.__contains__, count(first))))

    def queue_rows(self, database: DatabaseName, queuing_orders: Sequence[int]) -> Sequence[QueueRow]:
        """Committed messages of queues at these places, as many as are read at once."""
        messages = self._databases.get(database, _Database()).messages
        return at_places(queuing_orders, portion(messages[order][1] for order in queuing_orders if order in messages))

    def close(self) -> None:
        """Nothing to let go of."""

    def _pieces(self, name: DatabaseName, *, in_spans: bool) -> Iterator[DatabaseRows]:
        """Small ones in spans, so that simulated instances see many."""
        whole = self._rows(name)
        if not in_spans:
            yield whole
            return
        found = self._databases.get(name, _Database()).messages
        plain = iter([_plain(queue, row) for _, (queue, row) in sorted(found.items()) if is_plain(row)])
        while queue_spans := spans_of(islice(plain, _PLACES_AT_ONCE)):
            yield DatabaseRows(name=name, queue_spans=queue_spans)
        rows = groupby(whole.transmission, key=attrgetter("conversation_handle"))
        spans = [_span(handle, list(waiting)) for handle, waiting in rows]
        others = {queue: [row for row in rows if not is_plain(row)] for queue, rows in whole.queues.items()}
        queues = {queue: rows for queue, rows in others.items() if rows}
        yield msgspec.structs.replace(whole, transmission=[], spans=spans, queues=queues)

    def _rows(self, name: DatabaseName) -> DatabaseRows:
        database = self._databases.get(name, _Database())
        queues: dict[QueueName, list[QueueRow]] = {}
        for _, (queue, row) in sorted(database.messages.items()):
            queues.setdefault(queue, []).append(row)
        return DatabaseRows(
            name=name,
            endpoints=list(database.endpoints.values()),
            transmission=[row for _, rows in sorted(database.transmission.items()) for _, row in sorted(rows.items())],
            queues=queues,
            departed=list(database.departed.values()),
        )

    # ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _append_queue(self, change: AppendQueue) -> None:
        database = self._databases.get(change.database) or self._new_database(change.database)
        messages, order = database.messages, change.row.queuing_order
        if order in messages:
            raise _exists(order)
        self._undo.append((messages, order, _ABSENT))
        messages[order] = (change.queue, change.row)

    def _append_transmission(self, change: AppendTransmission) -> None:
        database = self._databases.get(change.database) or self._new_database(change.database)
        conversations, row = database.transmission, change.row
        rows = conversations.get(row.conversation_handle.int)
        if rows is None:
            rows = {}
            self._put(conversations, row.conversation_handle.int, rows)
        number = row.message_sequence_number
        if number in rows:
            raise _exists(number)
        self._undo.append((rows, number, _ABSENT))
        rows[number] = row

    def _put_endpoint(self, change: PutEndpoint) -> None:
        endpoints = self._database(change.database).endpoints
        self._put(endpoints, change.endpoint.conversation_handle.int, change.endpoint)

    def _drop_endpoint(self, change: DropEndpoint) -> None:
        self._remove(self._database(change.database).endpoints, change.conversation_handle.int)

    def _trim_transmission(self, change: TrimTransmission) -> None:
        rows = self._database(change.database).transmission.get(change.conversation_handle.int, {})
        for number in [number for number in rows if number <= change.through]:
            self._undo.append((rows, number, rows.pop(number)))

    def _remove_queue(self, change: RemoveQueue) -> None:
        messages = self._database(change.database).messages
        for order in self._present(messages, change):
            self._undo.append((messages, order, messages.pop(order)))

    def _set_status(self, change: SetQueueRowStatus) -> None:
        self._revise(change, status=change.status)

    def _set_group(self, change: SetQueueRowGroup) -> None:
        self._revise(change, conversation_group_id=change.conversation_group_id)

    def _admit(self, change: AdmitQueueRows) -> None:
        self._revise(change, awaits_queue=False)

    def _put_departed(self, change: PutDepartedSession) -> None:
        session = change.session
        key = (session.conversation_id.int, session.is_initiator)
        self._put(self._database(change.database).departed, key, session)

    def _drop_departed(self, change: DropDepartedSession) -> None:
        self._remove(self._database(change.database).departed, (change.conversation_id.int, change.is_initiator))

    def _drop_database(self, change: DropDatabaseRows) -> None:
        self._remove(self._databases, change.database)

    def _put_catalog(self, change: PutCatalog) -> None:
        self._catalog = binary_encoder.encode(change.catalog)

    def _put_reply(self, change: PutCommandReply) -> None:
        replies, key = self._replies, change.command_id.int
        self._undo.append((replies, key, replies.get(key, _ABSENT)))
        replies[key] = change.reply

    def _revise(self, change: SetQueueRowStatus | SetQueueRowGroup | AdmitQueueRows, **fields: object) -> None:
        """Replace fields of the messages that a change names."""
        messages = self._database(change.database).messages
        for order in self._present(messages, change):
            row = msgspec.structs.replace(messages[order][1], **fields)
            self._put(messages, order, (change.queue, row))

    @staticmethod
    def _present(
        messages: Mapping[int, tuple[QueueName, QueueRow]],
        change: SetQueueRowStatus | SetQueueRowGroup | AdmitQueueRows | RemoveQueue,
    ) -> list[int]:
        queue = change.queue
        return [order for order in change.queuing_orders if order in messages and messages[order][0] == queue]

    def _database(self, name: DatabaseName) -> _Database:
        return self._databases.get(name) or self._new_database(name)

    def _new_database(self, name: DatabaseName) -> _Database:
        made = _Database()
        self._put(self._databases, name, made)
        return made

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


def _span(handle: ConversationHandle, rows: Sequence[TransmissionRow]) -> TransmissionSpan:
    first, last = rows[0], rows[-1]
    return TransmissionSpan(handle, first.message_sequence_number, last.message_sequence_number + 1, first.enqueue_time)


def _plain(queue: QueueName, row: QueueRow) -> PlainMessage:
    return PlainMessage(
        row.queuing_order,
        row.message_sequence_number,
        row.conversation_handle.bytes,
        queue,
        row.priority,
        row.conversation_group_id.bytes,
    )


def _forget_oldest(rows: dict[Key, Value], kept: int) -> None:
    for key in list(islice(rows, max(len(rows) - kept, 0))):
        del rows[key]


def _exists(key: int) -> StoreFailed:
    return StoreFailed(f"a row with the key {key} exists")
