"""How a dialog begins at its target: by message 0, or by nothing else (protocol.md 8.2, rows 4, 5, 7, 30; 13)."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import DEFAULT_TYPE
from engine.core.catalog.priorities import priority_level
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import DialogInput, next_state, refusal
from engine.core.handlers import opening, permitting
from engine.core.handlers.broker import Broker
from engine.core.handlers.checks import first_message_fault
from engine.core.handlers.outbound import answer_with_error, send_unsequenced
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle, DatabaseName, shared
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage, DialogTarget, MessageKind
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.core.vocabulary.subclasses import ConversationHappening

UNKNOWN_CONVERSATION, FAR_ENDPOINT_GONE, EXPIRED = 11209, 8462, 28011


def open_target(
    broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool
) -> DialogEndpoint | int:
    """The target endpoint that message 0 of a new dialog creates, or the number of why there is none."""
    happening = _first_input(message)
    number = UNKNOWN_CONVERSATION if happening is None else refusal(None, happening)
    if happening is DialogInput.RECEIVE_REPLY or _is_orphaned(message):
        answer_with_error(broker, database, message, FAR_ENDPOINT_GONE)
        return UNKNOWN_CONVERSATION
    if happening is DialogInput.RECEIVE_ERROR:
        return _end_unbegun(broker, database, message, is_local=is_local)
    if happening is None or number is not None:
        return number or UNKNOWN_CONVERSATION
    if message.expires_at <= broker.now.utc:
        return EXPIRED
    if (reason := broker.unavailable.get(database)) is not None:
        return reason
    fault = _fault_of_first(broker, database, message)
    if fault is not None:
        answer_with_error(broker, database, message, fault)
        return fault
    if broker.guarded and (reason := permitting.refused(broker, database, message, is_local=is_local)) is not None:
        return reason
    endpoint = _new_target(broker, database, message, next_state(None, happening))
    broker.announce(endpoint, ConversationHappening.DIALOG_CREATED, begins_group=True)
    return endpoint


def _first_input(message: DialogMessage) -> DialogInput | None:
    """What a message is to a conversation that does not exist here; None for what can begin none."""
    if not message.is_sequenced:
        return None
    if not message.from_initiator:
        return DialogInput.RECEIVE_REPLY
    if message.kind is MessageKind.ERROR:
        return DialogInput.RECEIVE_ERROR
    if message.sequence != 0:
        return DialogInput.RECEIVE_LATER_MESSAGE
    return DialogInput.RECEIVE_MESSAGE if message.fragment is None else DialogInput.RECEIVE_FRAGMENT


def _is_orphaned(message: DialogMessage) -> bool:
    """Whether its first message was acknowledged from here, by an endpoint that is gone: a restore took it (row 30)."""
    return message.first_acknowledged and message.kind is not MessageKind.ERROR and (message.sequence or 0) > 0


def _end_unbegun(broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> int:
    """An Error has overtaken all of its dialog, whose initiator goes with the acknowledgement.

    Where a late copy of message 0 could begin the dialog, which nobody would end, a target stays as replay guard (8.5).
    """
    _acknowledge_unknown(broker, database, message)
    may_begin = message.expires_at > broker.now.utc and _fault_of_first(broker, database, message) is None
    if may_begin and permitting.may_open(broker, database, message, is_local=is_local):
        guard = _new_target(broker, database, message, next_state(None, DialogInput.RECEIVE_ERROR))
        guard.receiver.skip_to((message.sequence or 0) + 1)
        guard.revise(receive_sequence=guard.receiver.next_number)
        broker.arm_guard(guard)
        broker.announce(guard, ConversationHappening.RECEIVED_END_CONVERSATION_WITH_ERROR, begins_group=True)
        broker.notice(guard)
    return UNKNOWN_CONVERSATION


def _acknowledge_unknown(broker: Broker, database: DatabaseName, message: DialogMessage) -> None:
    """An Error that ends a dialog which never began here: acknowledge it, or its sender would repeat it for ever."""
    own_id = broker.catalog.databases[database].broker_instance
    number = message.sequence or 0
    acknowledgement = DialogMessage(
        conversation_id=message.conversation_id,
        from_initiator=False,
        source=DialogTarget(message.target.service_name, own_id),
        target=message.source,
        kind=MessageKind.ACKNOWLEDGEMENT,
        contract=message.contract,
        acknowledgement=Acknowledgement(number, number, own_id),
        expires_at=message.expires_at,
    )
    send_unsequenced(broker, database, acknowledgement)


def _fault_of_first(broker: Broker, database: DatabaseName, message: DialogMessage) -> int | None:
    """Why no dialog can be opened here with what a message names; None when one can."""
    use = broker.uses.of(database, message.contract, message.message_type or DEFAULT_TYPE)
    catalog = broker.catalog.databases[database]
    return first_message_fault(catalog, message, use, broker.settings.dialog.message_bytes_max)


def _new_target(
    broker: Broker, database: DatabaseName, message: DialogMessage, state: ConversationState | None
) -> DialogEndpoint:
    assert state is not None, "its first message makes an endpoint"
    endpoint = broker.endpoint(
        database,
        ConversationEndpoint(
            conversation_handle=ConversationHandle(broker.entropy.new_uuid()),
            conversation_id=message.conversation_id,
            is_initiator=False,
            conversation_group_id=ConversationGroupId(broker.entropy.new_uuid()),
            service=shared(message.target.service_name),
            contract=shared(message.contract),
            priority=_priority(broker.catalog.databases[database], message),
            state=state,
            far_service=shared(message.source.service_name),
            far_broker_instance=message.source.broker_instance,
            lifetime=message.expires_at,
        ),
    )
    opening.adopt(broker, endpoint)
    broker.add(endpoint)
    broker.touch(endpoint)
    return endpoint


def _priority(catalog: DatabaseCatalog, message: DialogMessage) -> int:
    """By our own definitions: the priority of the other side never travels (protocol.md 11)."""
    return priority_level(catalog, message.contract, message.target.service_name, message.source.service_name)
