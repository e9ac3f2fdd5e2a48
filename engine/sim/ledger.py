"""`Ledger`: what the disks of a world hold, told from their commits alone. The engine is never asked.

A second bookkeeping on purpose: were the engine's own idea of its state wrong, the ledger would not share the error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import (
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropEndpoint,
    PutCatalog,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.rows import ConversationEndpoint, QueueRow, QueueRowStatus, TransmissionRow
from engine.sim.history import Committed, Entry, Kinds

Place = tuple[InstanceName, DatabaseName]
Side = tuple[InstanceName, DatabaseName, ConversationHandle]
"""One endpoint of a conversation."""

WAITING = (QueueRowStatus.READY, QueueRowStatus.DISABLED)
"""Statuses of messages that somebody is still to receive."""


class Ledger:
    """Rows by their keys. An observer of the journal; it stands before the checkers that read it."""

    watches: ClassVar[Kinds] = (Committed,)

    def __init__(self) -> None:
        self.catalogs: dict[InstanceName, InstanceCatalog] = {}
        self.endpoints: dict[Side, ConversationEndpoint] = {}
        self.transmission: defaultdict[Side, dict[int, TransmissionRow]] = defaultdict(dict)
        self.queues: defaultdict[Place, dict[int, tuple[QueueName, QueueRow]]] = defaultdict(dict)
        self.known: dict[Side, ConversationEndpoint] = {}
        """The last row of every endpoint that ever was, also of those that are gone."""
        self.born: dict[Side, float] = {}
        """When endpoints came to be, in true seconds."""
        self.sides: defaultdict[tuple[ConversationId, bool], list[Side]] = defaultdict(list)
        """Endpoints that ever stood for one side (True: the initiator's) of a conversation."""

    def observe(self, entry: Entry) -> None:
        """Keep what a disk keeps."""
        if isinstance(entry, Committed):
            for change in entry.changes:
                self._obey(entry.instance, change, entry.at)

    def broker_instance(self, place: Place) -> BrokerInstanceId | None:
        """The id of a database; None when there is none."""
        catalog = self.catalogs.get(place[0])
        database = catalog.databases.get(place[1]) if catalog is not None else None
        return database.broker_instance if database is not None else None

    def unfinished(self) -> Iterator[str]:
        """What still waits anywhere, in words."""
        for side, rows in self.transmission.items():
            if rows:
                state = self.known[side].state if side in self.known else "no endpoint"
                yield f"{len(rows)} messages from {min(rows)} on of {_told(side)} ({state}) were never acknowledged"
        for (instance, database), messages in self.queues.items():
            for queue, row in messages.values():
                if row.status in WAITING:
                    what = "waits for an earlier one" if row.status is QueueRowStatus.DISABLED else "was not received"
                    yield f"message {row.message_sequence_number} in {instance}.{database}.{queue} {what}"

    def _obey(self, instance: InstanceName, change: StateChange, at: float) -> None:
        match change:
            case PutCatalog():
                self.catalogs[instance] = change.catalog
            case PutEndpoint():
                side = (instance, change.database, change.endpoint.conversation_handle)
                self._put_endpoint(side, change.endpoint, at)
            case DropEndpoint():
                self.endpoints.pop((instance, change.database, change.conversation_handle), None)
            case AppendTransmission():
                rows = self.transmission[instance, change.database, change.row.conversation_handle]
                rows[change.row.message_sequence_number] = change.row
            case TrimTransmission():
                rows = self.transmission[instance, change.database, change.conversation_handle]
                for number in [number for number in rows if number <= change.through]:
                    del rows[number]
            case AppendQueue():
                self.queues[instance, change.database][change.row.queuing_order] = (change.queue, change.row)
            case SetQueueRowStatus():
                messages = self.queues[instance, change.database]
                for order in change.queuing_orders:
                    if order in messages:
                        queue, row = messages[order]
                        messages[order] = (queue, msgspec.structs.replace(row, status=change.status))
            case RemoveQueue():
                for order in change.queuing_orders:
                    self.queues[instance, change.database].pop(order, None)
            case DropDatabaseRows():
                self._drop_rows((instance, change.database))
            case _:
                # What a group or a reply is told belongs to no message.
                pass

    def _put_endpoint(self, side: Side, row: ConversationEndpoint, at: float) -> None:
        if side not in self.known:
            self.born[side] = at
            self.sides[row.conversation_id, row.is_initiator].append(side)
        self.endpoints[side] = self.known[side] = row

    def _drop_rows(self, place: Place) -> None:
        self.queues.pop(place, None)
        for side in [side for side in self.endpoints if side[:2] == place]:
            del self.endpoints[side]
        for side in [side for side in self.transmission if side[:2] == place]:
            del self.transmission[side]


def _told(side: Side) -> str:
    return f"{side[0]}.{side[1]} {side[2]}"
