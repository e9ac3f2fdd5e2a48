"""`Manifest`: an observer of a journal that takes down what became of every conversation, by flow.

It believes commits alone: an endpoint that was made, a row that was put into a queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from engine.core.catalog.objects import ERROR_TYPE
from engine.core.exchange.changes import AdmitQueueRows, AppendQueue, PutEndpoint, StateChange
from engine.core.vocabulary.identifiers import (
    ConversationHandle,
    ConversationId,
    DatabaseName,
    InstanceName,
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
    has_failed: bool = False


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
            Shipment(begun_at=each.begun_at, arrived_at=each.arrived_at, has_failed=each.has_failed) for each in found
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
                    self._sides[place] = (self._conversations[endpoint.conversation_id], False)
            case AppendQueue(database=database, queue=queue, row=row):
                known = self._sides.get((instance, database, row.conversation_handle))
                if known is not None and row.awaits_queue:
                    self._parked[instance, database, queue, row.queuing_order] = known[0]
                elif known is not None:
                    self._queued(at, *known, row.message_type_name == ERROR_TYPE)
            case AdmitQueueRows(database=database, queue=queue, queuing_orders=orders):
                for order in orders:
                    parked = self._parked.pop((instance, database, queue, order), None)
                    if parked is not None and parked.arrived_at is None:
                        parked.arrived_at = at
            case _:
                pass

    def _queued(self, at: float, shipped: _Shipped, is_initiator: bool, is_error: bool) -> None:
        if is_initiator:
            shipped.has_failed = shipped.has_failed or is_error
        elif shipped.arrived_at is None and not is_error:
            shipped.arrived_at = at
