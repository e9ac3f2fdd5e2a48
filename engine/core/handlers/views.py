"""The rows an instance shows of itself (views.md 1); reads only."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE, Queue
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import STATE_DESCRIPTIONS
from engine.core.exchange.views import (
    Backlog,
    ConnectionView,
    ConversationEndpointView,
    DatabaseView,
    InstanceView,
    MirroredRouteView,
    QueueMonitorView,
    QueuePeek,
    QueueView,
    TransmissionQueueView,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.receiving import queue_name_of
from engine.core.mirroring.monitor import MirrorMonitor
from engine.core.vocabulary.dialog_security import DialogSecurity
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import DatabaseName, EventSequence, QueueName
from engine.core.vocabulary.limits import PEEK_BODY_BYTES_MAX, PEEK_BYTES_MAX
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import QueueRow, TransmissionRow


def instance_view(broker: Broker, rows_max: int) -> InstanceView:
    """Everything live of an instance, at most `rows_max` rows a list. What only the host knows is left open."""
    senders: dict[DatabaseName, list[DialogEndpoint]] = {name: [] for name in broker.catalog.databases}
    for endpoint in broker.with_something_to_send():
        senders[endpoint.database].append(endpoint)
    return InstanceView(
        name=broker.catalog.name,
        revision=broker.catalog.revision,
        last_event=EventSequence(0),
        endpoint_state=broker.catalog.endpoint.state if broker.catalog.endpoint else None,
        listening_port=None,
        listening_error="",
        databases=tuple(
            _database_view(broker, database, senders[name], rows_max)
            for name, database in broker.catalog.databases.items()
        ),
        connections=tuple(
            ConnectionView(address=str(address), state=link.state, peer=link.peer, error=link.error, detail=link.detail)
            for address, link in broker.links.items()
        ),
        forwarding_messages=len(broker.transmitter),
        mirrored_routes=tuple(mirrored_route_view(monitor) for monitor in islice(broker.mirrors.all(), rows_max)),
    )


def mirrored_route_view(monitor: MirrorMonitor) -> MirroredRouteView:
    """What is known of the partners of a mirrored route."""
    known = monitor.snapshot()
    return MirroredRouteView(
        route=monitor.route,
        service_name=monitor.pair.service,
        broker_instance=monitor.pair.broker_instance,
        address=str(monitor.pair.address),
        mirror_address=str(monitor.pair.mirror_address),
        state=known.state,
        address_state=known.address_state,
        mirror_address_state=known.mirror_address_state,
        principal=str(known.principal) if known.principal is not None else None,
        error=known.error,
        detail=known.detail,
        are_both_principal=known.are_both_principal,
        conversations=len(monitor.users),
        changed_at=monitor.told_at,
        principal_since=monitor.principal_since,
    )


def _database_view(
    broker: Broker, database: DatabaseCatalog, senders: list[DialogEndpoint], rows_max: int
) -> DatabaseView:
    waiting = chain(
        (_transmission_view(endpoint, row) for endpoint in senders for row in endpoint.sender.rows()),
        _arrivals(broker, database),
    )
    awaiting = sum(broker.queue(database.name, name).awaiting for name in database.queues)
    return DatabaseView(
        name=database.name,
        broker_instance=database.broker_instance,
        is_broker_enabled=database.is_broker_enabled,
        state=database.state,
        partner_address=database.partner_address,
        conversation_endpoints=tuple(
            _endpoint_view(endpoint) for endpoint in islice(broker.conversations.look(database.name), rows_max)
        ),
        conversation_endpoints_total=broker.conversations.total(database.name),
        transmission_queue=tuple(islice(waiting, rows_max)),
        transmission_queue_total=sum(len(endpoint.sender) for endpoint in senders) + awaiting,
        queues=tuple(_queue_view(broker, database.name, queue) for queue in database.queues.values()),
    )


def _queue_view(broker: Broker, database: DatabaseName, queue: Queue) -> QueueView:
    messages = broker.queue(database, queue.name)
    return QueueView(
        name=queue.name,
        is_enabled=queue.is_enabled,
        ready=messages.ready,
        disabled=messages.disabled,
        retained=len(messages) - messages.ready - messages.disabled,
        awaiting=messages.awaiting,
        monitor=_monitor_view(broker, database, queue.name),
        poison=broker.poison.cause(database, queue.name),
    )


def _monitor_view(broker: Broker, database: DatabaseName, queue: QueueName) -> QueueMonitorView | None:
    monitor = broker.activity.monitor(database, queue)
    if monitor is None:
        return None
    return QueueMonitorView(
        state=monitor.state.value,
        last_empty_rowset_time=monitor.last_empty_rowset_time,
        last_activated_time=monitor.last_activated_time,
        active_tasks=broker.activity.readers_of((database, queue.casefold())),
    )


def _arrivals(broker: Broker, database: DatabaseCatalog) -> Iterator[TransmissionQueueView]:
    """What has arrived for queues that are off waits in the transmission queue of its target (protocol.md 4)."""
    for queue in database.queues.values():
        for row in broker.queue(database.name, queue.name).waiting():
            endpoint = broker.conversations.look_at((database.name, row.conversation_handle))
            yield TransmissionQueueView(
                conversation_handle=row.conversation_handle,
                to_service_name=row.service_name,
                to_broker_instance=database.broker_instance,
                from_service_name=endpoint.row.far_service if endpoint is not None else "",
                service_contract_name=row.service_contract_name,
                enqueue_time=row.message_enqueue_time,
                message_sequence_number=row.message_sequence_number,
                message_type_name=row.message_type_name,
                is_conversation_error=row.message_type_name == ERROR_TYPE,
                is_end_of_dialog=row.message_type_name == END_DIALOG_TYPE,
                message_body_bytes=len(row.message_body or b""),
                transmission_status=status_text(QUEUE_OFF, queue=queue.name),
                transmission_status_number=QUEUE_OFF,
                priority=row.priority,
            )


def _endpoint_view(endpoint: DialogEndpoint) -> ConversationEndpointView:
    row = endpoint.row
    return ConversationEndpointView(
        conversation_handle=row.conversation_handle,
        conversation_id=row.conversation_id,
        is_initiator=row.is_initiator,
        service_contract_name=row.contract,
        conversation_group_id=row.conversation_group_id,
        service_name=row.service,
        lifetime=row.lifetime,
        state=row.state,
        state_desc=STATE_DESCRIPTIONS[row.state],
        far_service=row.far_service,
        far_broker_instance=row.far_broker_instance,
        security_timestamp=row.security_timestamp,
        send_sequence=row.send_sequence,
        end_dialog_sequence=row.end_dialog_sequence,
        receive_sequence=row.receive_sequence,
        priority=row.priority,
        dialog_timer=row.dialog_timer,
        **_security_view(row.security),
    )


QUEUE_OFF = 9617


def _security_view(security: DialogSecurity | None) -> dict[str, Any]:
    """Names and ids; keys are nobody's to see."""
    if security is None:
        return {}
    return {
        "security": security.kind,
        "principal": security.principal,
        "far_principal": security.far_principal,
        "outbound_session_key_identifier": None if security.outbound is None else security.outbound.identifier,
        "inbound_session_key_identifier": None if security.inbound is None else security.inbound.identifier,
    }


_TYPE_OF_KIND = {MessageKind.END_DIALOG: END_DIALOG_TYPE, MessageKind.ERROR: ERROR_TYPE}


def _transmission_view(endpoint: DialogEndpoint, row: TransmissionRow) -> TransmissionQueueView:
    return TransmissionQueueView(
        conversation_handle=row.conversation_handle,
        to_service_name=endpoint.row.far_service,
        to_broker_instance=endpoint.row.far_broker_instance,
        from_service_name=endpoint.row.service,
        service_contract_name=endpoint.row.contract,
        enqueue_time=row.enqueue_time,
        message_sequence_number=row.message_sequence_number,
        message_type_name=_TYPE_OF_KIND.get(row.kind, row.message_type_name),
        is_conversation_error=row.kind is MessageKind.ERROR,
        is_end_of_dialog=row.kind is MessageKind.END_DIALOG,
        message_body_bytes=len(row.message_body or b""),
        transmission_status=endpoint.status.text,
        transmission_status_number=endpoint.status.number,
        priority=endpoint.row.priority,
    )


def queue_peek(broker: Broker, database: DatabaseName, queue: QueueName, top: int, with_bodies: bool) -> QueuePeek:
    """The first messages of a queue, as a SELECT would show them; 911 or 15151 when there is none.

    Bodies are cut, and empty without `with_bodies`; a message without a body has none.
    """
    messages = broker.queue(database, queue_name_of(broker, database, queue))
    rows: list[QueueRow] = []
    sizes: list[int] = []
    left = PEEK_BYTES_MAX if with_bodies else 0
    # Each body is cut before the next one is read.
    for row in islice(messages.all(), top):
        body = row.message_body
        sizes.append(len(body or b""))
        if body is not None and len(body) > (most := min(left, PEEK_BODY_BYTES_MAX)):
            row = msgspec.structs.replace(row, message_body=body[:most])
        left -= len(row.message_body or b"")
        rows.append(row)
    return QueuePeek(messages=tuple(rows), total=len(messages), body_bytes=tuple(sizes))


def backlog(broker: Broker) -> Backlog:
    """Sums over all databases; a look at each conversation that has something to send."""
    senders = [endpoint.sender for endpoint in broker.with_something_to_send()]
    queues = [
        broker.queue(name, queue) for name, database in broker.catalog.databases.items() for queue in database.queues
    ]
    return Backlog(
        transmission=sum(map(len, senders)) + sum(queue.awaiting for queue in queues),
        oldest=min((sender.waits_since() for sender in senders), default=None),
        ready=sum(queue.ready for queue in queues),
    )
