"""Prediction: by far the most of what arrives is the next message of a conversation that flows, like the one before.

Whether it is, is asked in one go. What is not expected changes nothing here: `inbound.accept` judges it in full.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import UNSET

from engine.core.catalog.objects import Validation
from engine.core.dialog.endpoint import DialogEndpoint, Permit
from engine.core.handlers.acknowledging import is_impossible, take_acknowledgement
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import put_into_queue
from engine.core.handlers.speakers import may_speak
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.identifiers import DatabaseName, MessageTypeName
from engine.core.vocabulary.messages import DialogMessage, MessageKind
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState

_CONVERSING: Final = ConversationState.CONVERSING
"""The only state in which a message is nothing new: RECEIVE_MESSAGE leads from it to itself (protocol.md 8.2)."""

_USER: Final = MessageKind.USER
_ACKNOWLEDGEMENT: Final = MessageKind.ACKNOWLEDGEMENT
_IN_CLEAR: Final = SecurityKind.NONE


def take_expected(broker: Broker, database: DatabaseName, message: DialogMessage) -> bool:
    """Take in a message from the network if it is the one that was expected; answers whether it was."""
    endpoint = broker.conversations.side_in(database, message.conversation_id, not message.from_initiator)
    if endpoint is None or not may_speak(broker, endpoint, message):
        return False
    if message.kind is _ACKNOWLEDGEMENT:
        return _take_receipt(broker, database, endpoint, message)
    row, permit, receiver = endpoint.row, endpoint.arrival_permit, endpoint.receiver
    if permit is None:
        # Of a conversation that has come back nothing is remembered but what holds for all like it.
        like_it = database, message.contract, message.message_type, message.from_initiator
        permit = endpoint.arrival_permit = broker.arrival_permits.get(like_it)
    if permit is None or not _is_expected(broker, database, endpoint, permit, message):
        return False
    stored = put_into_queue(broker, endpoint, receiver.next_number, permit.message_type, message.body)
    if not stored.awaits_queue:
        broker.counters.enqueued_from_transport += 1
    number = receiver.took(broker.now.monotonic, len(message.body or b""))
    if message.first_acknowledged:
        # The replay guard is armed, and armed anew (protocol.md 8.5).
        guard = UtcTime(broker.now.utc + broker.settings.dialog.closed_target_guard_seconds)
        endpoint.row = msgspec.structs.replace(row, receive_sequence=number, security_timestamp=guard)
    else:
        endpoint.row = msgspec.structs.replace(row, receive_sequence=number)
    broker.touched[endpoint] = None
    if message.acknowledgement is not None:
        take_acknowledgement(broker, endpoint, message.acknowledgement, message)
    broker.noticed[endpoint] = None
    return True


def _is_expected(
    broker: Broker, database: DatabaseName, endpoint: DialogEndpoint, permit: Permit, message: DialogMessage
) -> bool:
    row, receiver = endpoint.row, endpoint.receiver
    return (
        permit.definitions is broker.uses
        and row.state is _CONVERSING
        and message.sequence == receiver.next_number
        and not receiver.has_held
        and message.kind is _USER
        and message.message_type == permit.message_type
        and message.contract == row.contract
        and message.source.service_name == row.far_service
        and message.target.service_name == row.service
        and message.fragment is None
        and message.source.broker_instance is not None
        and message.source.broker_instance == row.far_broker_instance
        and message.security is UNSET
        and (row.security is None or row.security.kind is _IN_CLEAR)
        and database not in broker.unavailable
        and (message.acknowledgement is None or not is_impossible(endpoint, message.acknowledgement))
    )


def _take_receipt(broker: Broker, database: DatabaseName, endpoint: DialogEndpoint, message: DialogMessage) -> bool:
    """Take in an acknowledgement that came alone; answers whether all it changes is what is pending."""
    row, acknowledgement, far = endpoint.row, message.acknowledgement, message.source.broker_instance
    if (
        acknowledgement is None
        or row.state is not _CONVERSING
        or not row.is_initiator
        or far is None
        or (row.far_broker_instance is not None and row.far_broker_instance != far)
        or message.contract != row.contract
        or message.source.service_name != row.far_service
        or message.target.service_name != row.service
        or message.sequence is not None
        or message.message_type is not None
        or message.fragment is not None
        or message.security is not UNSET
        or (row.security is not None and row.security.kind is not _IN_CLEAR)
        or database in broker.unavailable
        or is_impossible(endpoint, acknowledgement)
    ):
        return False
    take_acknowledgement(broker, endpoint, acknowledgement, message)
    broker.noticed[endpoint] = None
    return True


def expect_another(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> None:
    """A whole user message was judged and taken: another one like it is expected, unless its content must be judged."""
    if endpoint.row.state is not _CONVERSING or message.fragment is not None:
        return
    name = MessageTypeName(message.message_type or "")
    use = broker.uses.of(endpoint.database, message.contract, name)
    if use.message_type is not None and use.message_type.validation is Validation.NONE:
        endpoint.arrival_permit = Permit(broker.uses, _CONVERSING, message.contract, name)
        like_it = endpoint.database, message.contract, message.message_type, message.from_initiator
        broker.arrival_permits[like_it] = endpoint.arrival_permit
