"""`Manifest`: an observer of a journal that takes down what became of every conversation, by flow.

It believes commits alone: an endpoint that was made, a row that was put into a queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from engine.core.catalog.objects import ERROR_TYPE
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    DropDatabaseRows,
    DropEndpoint,
    PutEndpoint,
    StateChange,
)
from engine.core.vocabulary.identifiers import (
    ConversationHandle,
    ConversationId,
    DatabaseName,
    InstanceName,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.sim.history import Committed, Entry, Kinds
from engine.training.world import Shipment
from engine.whatif.telling import FlowQuestion

_Flow = tuple[InstanceName, DatabaseName, ServiceName, ServiceName]
_Place = tuple[InstanceName, DatabaseName, ConversationHandle]


class _Shipped(msgspec.Struct):
    begun_at: float
    arrived_at: float | None = None
    place: tuple[InstanceName, DatabaseName] | None = None
    answers: frozenset[MessageTypeName] = frozenset()
    has_failed: bool = False
    is_torn: bool = False

    def tear(self) -> None:
        """A side of it has gone; whoever has heard nothing yet never will."""
        self.is_torn = self.is_torn or not (self.answers or self.has_failed)


class Manifest:
    """Observes the journal of a sandbox."""

    watches: ClassVar[Kinds] = (Committed,)

    def __init__(self) -> None:
        self._flows: dict[_Flow, list[_Shipped]] = {}
        self._conversations: dict[ConversationId, _Shipped] = {}
        self._sides: dict[_Place, tuple[_Shipped, bool]] = {}
        """What an endpoint belongs to, and whether it is the initiator's."""
        self._parked: dict[tuple[InstanceName, DatabaseName, QueueName, int], _Shipped] = {}
        """What waits beside a queue that is off."""

    def observe(self, entry: Entry) -> None:
        """Something happened."""
        if isinstance(entry, Committed):
            # Messages may stand before the endpoint that the same commit makes for them.
            for change in sorted(entry.changes, key=lambda change: not isinstance(change, PutEndpoint)):
                self._changed(entry.at, entry.instance, change)

    def shipments(self, flow: FlowQuestion) -> Sequence[Shipment]:
        """What became of a flow, the oldest conversation first."""
        found = self._flows.get((flow.instance, flow.database, flow.service, flow.to_service), ())
        return tuple(
            Shipment(
                begun_at=each.begun_at,
                arrived_at=each.arrived_at,
                place=each.place,
                answers=each.answers,
                has_failed=each.has_failed,
                is_torn=each.is_torn,
            )
            for each in found
        )

    def _changed(self, at: float, instance: InstanceName, change: StateChange) -> None:
        match change:
            case PutEndpoint(database=database, endpoint=endpoint):
                place = (instance, database, endpoint.conversation_handle)
                if place in self._sides:
                    return
                if endpoint.is_initiator:
                    shipped = self._conversations.setdefault(endpoint.conversation_id, _Shipped(at))
                    key = (instance, database, endpoint.service, endpoint.far_service)
                    self._flows.setdefault(key, []).append(shipped)
                    self._sides[place] = (shipped, True)
                elif endpoint.conversation_id in self._conversations:
                    shipped = self._conversations[endpoint.conversation_id]
                    shipped.place = (instance, database)
                    self._sides[place] = (shipped, False)
            case AppendQueue(database=database, queue=queue, row=row):
                known = self._sides.get((instance, database, row.conversation_handle))
                if known is not None and row.awaits_queue:
                    self._parked[instance, database, queue, row.queuing_order] = known[0]
                elif known is not None:
                    self._queued(at, *known, row.message_type_name)
            case AdmitQueueRows(database=database, queue=queue, queuing_orders=orders):
                for order in orders:
                    parked = self._parked.pop((instance, database, queue, order), None)
                    if parked is not None and parked.arrived_at is None:
                        parked.arrived_at = at
            case DropEndpoint(database=database, conversation_handle=handle):
                side = self._sides.get((instance, database, handle))
                if side is not None:
                    side[0].tear()
            case DropDatabaseRows(database=database):
                for place, (shipped, _) in self._sides.items():
                    if place[:2] == (instance, database):
                        shipped.tear()
            case _:
                pass

    def _queued(self, at: float, shipped: _Shipped, is_initiator: bool, kind: MessageTypeName | None) -> None:
        if is_initiator:
            shipped.has_failed = shipped.has_failed or kind == ERROR_TYPE
            if kind is not None and kind != ERROR_TYPE:
                shipped.answers |= {kind}
        elif shipped.arrived_at is None and kind != ERROR_TYPE:
            shipped.arrived_at = at
