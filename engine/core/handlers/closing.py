"""How endpoints change their state, and what is left of them at the end (protocol.md 8.2, 8.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.core.catalog.objects import ERROR_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput, next_state
from engine.core.exchange.events import MessageDelivered
from engine.core.handlers.broker import ERROR_ARRIVED, FAR_SIDE_ENDED, Broker
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import DatabaseName, MessageTypeName, QueueName
from engine.core.vocabulary.messages import Fragment
from engine.core.vocabulary.rows import ConversationState, QueueRow, QueueRowStatus
from engine.core.vocabulary.subclasses import ConversationHappening

_READY: Final = QueueRowStatus.READY

HAPPENINGS: Final[Mapping[DialogInput, ConversationHappening]] = {
    DialogInput.SEND: ConversationHappening.SEND_MESSAGE,
    DialogInput.RECEIVE_MESSAGE: ConversationHappening.RECEIVED_SEQUENCED_MESSAGE,
    DialogInput.END_LOCAL: ConversationHappening.END_CONVERSATION,
    DialogInput.END_WITH_ERROR: ConversationHappening.END_CONVERSATION_WITH_ERROR,
    DialogInput.END_UNHEARD: ConversationHappening.END_CONVERSATION_WITH_ERROR,
    DialogInput.RECEIVE_END_DIALOG: ConversationHappening.RECEIVED_END_CONVERSATION,
    DialogInput.END_ACKNOWLEDGED: ConversationHappening.RECEIVED_END_CONVERSATION_ACK,
    DialogInput.RECEIVE_ERROR: ConversationHappening.RECEIVED_END_CONVERSATION_WITH_ERROR,
    DialogInput.LIFETIME_EXPIRED: ConversationHappening.BROKER_INITIATED_ERROR,
    DialogInput.BROKEN_LOCALLY: ConversationHappening.BROKER_INITIATED_ERROR,
    DialogInput.SERVICE_DROPPED: ConversationHappening.TERMINATE_DIALOG,
    DialogInput.CLOSED_AS_INITIATOR: ConversationHappening.TERMINATE_DIALOG,
    DialogInput.GUARD_OVER: ConversationHappening.TERMINATE_DIALOG,
    DialogInput.END_WITH_CLEANUP: ConversationHappening.END_CONVERSATION_WITH_CLEANUP,
}
"""What is told of an input, unless whoever gives it knows better."""


def move(
    broker: Broker, endpoint: DialogEndpoint, happening: DialogInput, told: ConversationHappening | None = None
) -> bool:
    """Take an endpoint to its next state by the table; answers whether it still exists."""
    state = next_state(endpoint.row.state, happening)
    if state is None:
        broker.forget(endpoint, told or HAPPENINGS[happening])
        return False
    if state is not endpoint.row.state:
        endpoint.revise(state=state)
        broker.touch(endpoint)
        broker.announce_state(endpoint, told or HAPPENINGS[happening])
    say_why_frozen(broker, endpoint)
    return True


def say_why_frozen(broker: Broker, endpoint: DialogEndpoint) -> None:
    """What was not sent before the far side ended, or an error came, stays and says so (rows 10, 11)."""
    state = endpoint.row.state
    if state is ConversationState.DISCONNECTED_INBOUND and len(endpoint.sender):
        broker.set_status(endpoint, FAR_SIDE_ENDED)
    elif state is ConversationState.ERROR and len(endpoint.sender):
        broker.set_status(endpoint, ERROR_ARRIVED)


def close(broker: Broker, endpoint: DialogEndpoint, happening: DialogInput = DialogInput.END_ACKNOWLEDGED) -> None:
    """To CLOSED. An initiator goes at once, a target stays as replay guard (rows 27, 28)."""
    if not move(broker, endpoint, happening):
        return
    broker.clear_transmission(endpoint)
    if endpoint.row.is_initiator:
        move(broker, endpoint, DialogInput.CLOSED_AS_INITIATOR)


def fail(
    broker: Broker, endpoint: DialogEndpoint, body: bytes | None, happening: DialogInput = DialogInput.RECEIVE_ERROR
) -> None:
    """A broker's Error reached this endpoint, from wherever: to ERROR, with it ahead in the queue (row 11)."""
    is_received = happening is DialogInput.RECEIVE_ERROR
    told = ConversationHappening.RECEIVED_BROKER_ERROR if is_received else None
    if not move(broker, endpoint, happening, told):
        return
    broker.forget_early(endpoint)
    put_into_queue(broker, endpoint, -1, ERROR_TYPE, body)


def fail_locally(broker: Broker, endpoint: DialogEndpoint, number: int) -> None:
    """An Error that this broker makes for its own side."""
    text = text_of(number, service=endpoint.row.far_service, contract=endpoint.row.contract)
    fail(broker, endpoint, error_body(-number, text), DialogInput.BROKEN_LOCALLY)


def put_into_queue(
    broker: Broker,
    endpoint: DialogEndpoint,
    number: int,
    message_type: MessageTypeName,
    body: bytes | None,
    status: QueueRowStatus = _READY,
    fragment: Fragment | None = None,
) -> QueueRow:
    """Put a message or a fragment into the endpoint's own queue; answers it as stored.

    Told as delivered when it is ready; while the queue is off it waits in the transmission queue (protocol.md 4).
    """
    own, orders, counters = endpoint.row, broker.next_queuing_order, broker.counters
    order = orders.get(endpoint.database, 1)
    orders[endpoint.database] = order + 1
    served = broker.served(endpoint.database, own.service)
    row = QueueRow(
        queuing_order=order,
        status=status,
        priority=own.priority,
        conversation_group_id=own.conversation_group_id,
        conversation_handle=own.conversation_handle,
        message_sequence_number=number,
        service_name=own.service,
        service_contract_name=own.contract,
        message_type_name=message_type,
        message_body=body,
        message_enqueue_time=broker.now.utc,
    )
    if fragment is not None:
        row = msgspec.structs.replace(
            row, fragment_number=fragment.number, fragment_bytes=fragment.size, message_bytes=fragment.message_bytes
        )
    row = broker.append_served(endpoint.database, served, row)
    if row.awaits_queue:
        counters.transmission_stored += 1
        broker.stir(endpoint)
        return row
    if fragment is None and status is not QueueRowStatus.SENT_RETAINED:
        counters.enqueued += 1
        counters.enqueued_by_priority[row.priority] += 1
    if status is _READY:
        tell_delivered(broker, endpoint.database, served.definition.name, row)
    return row


def retain_sent(
    broker: Broker, endpoint: DialogEndpoint, number: int, message_type: MessageTypeName, body: bytes | None
) -> None:
    """The queue of a sender with RETENTION keeps a copy of what was sent, with status 3 (protocol.md 15)."""
    put_into_queue(broker, endpoint, number, message_type, body, QueueRowStatus.SENT_RETAINED)
    broker.stir_queue(endpoint.database, broker.served(endpoint.database, endpoint.row.service).definition.name)


def tell_delivered(broker: Broker, database: DatabaseName, queue: QueueName, row: QueueRow) -> None:
    """Tell that a message is ready to be received, unless it has to wait for its queue."""
    if row.awaits_queue:
        return
    broker.tell(
        MessageDelivered(
            at=broker.now.utc,
            database=database,
            queue=queue,
            conversation_handle=row.conversation_handle,
            message_sequence_number=row.message_sequence_number,
            message_type_name=row.message_type_name,
        )
    )
