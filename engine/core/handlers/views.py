"""The rows an instance shows of itself (views.md 1); reads only."""

from __future__ import annotations

from itertools import islice
from typing import Any

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import STATE_DESCRIPTIONS
from engine.core.exchange.views import (
    ConnectionView,
    ConversationEndpointView,
    DatabaseView,
    InstanceView,
    QueuePeek,
    QueueView,
    TransmissionQueueView,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.receiving import queue_name_of
from engine.core.vocabulary.dialog_security import DialogSecurity
from engine.core.vocabulary.identifiers import DatabaseName, EventSequence, QueueName
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import TransmissionRow


def instance_view(broker: Broker, rows_max: int) -> InstanceView:
    """Everything live of an instance, at most `rows_max` rows a list. What only the host knows is left open."""
    by_database: dict[DatabaseName, list[DialogEndpoint]] = {name: [] for name in broker.catalog.databases}
    for (database, _), endpoint in broker.conversations.items():
        by_database[database].append(endpoint)
    return InstanceView(
        name=broker.catalog.name,
        revision=broker.catalog.revision,
        last_event=EventSequence(0),
        endpoint_state=broker.catalog.endpoint.state if broker.catalog.endpoint else None,
        listening_port=None,
        listening_error="",
        databases=tuple(
            _database_view(broker, database, by_database[name], rows_max)
            for name, database in broker.catalog.databases.items()
        ),
        connections=tuple(
            ConnectionView(address=str(address), state=link.state, peer=link.peer, error=link.error, detail=link.detail)
            for address, link in broker.links.items()
        ),
        forwarding_messages=len(broker.transmitter),
    )


def _database_view(
    broker: Broker, database: DatabaseCatalog, endpoints: list[DialogEndpoint], rows_max: int
) -> DatabaseView:
    waiting = ((endpoint, row) for endpoint in endpoints for row in endpoint.sender.rows())
    return DatabaseView(
        name=database.name,
        broker_instance=database.broker_instance,
        is_broker_enabled=database.is_broker_enabled,
        conversation_endpoints=tuple(_endpoint_view(endpoint) for endpoint in islice(endpoints, rows_max)),
        conversation_endpoints_total=len(endpoints),
        transmission_queue=tuple(_transmission_view(endpoint, row) for endpoint, row in islice(waiting, rows_max)),
        transmission_queue_total=sum(len(endpoint.sender) for endpoint in endpoints),
        queues=tuple(
            QueueView(
                name=queue.name,
                is_enabled=queue.is_enabled,
                ready=broker.queue(database.name, queue.name).ready,
                disabled=broker.queue(database.name, queue.name).disabled,
            )
            for queue in database.queues.values()
        ),
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
        **_security_view(row.security),
    )


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


def queue_peek(broker: Broker, database: DatabaseName, queue: QueueName, top: int) -> QueuePeek:
    """The first messages of a queue, as a SELECT would show them; 911 or 15151 when there is none."""
    messages = broker.queue(database, queue_name_of(broker, database, queue))
    return QueuePeek(messages=tuple(messages.first(top)), total=len(messages))
