"""BEGIN DIALOG, SEND, MOVE and END CONVERSATION (protocol.md 8, 10, 12; tsql.md 9).

Each checks everything, then acts at once, or is held back until the commit of its transaction.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import BROKER_SERVICE, contract_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import is_service_name
from engine.core.catalog.objects import DEFAULT_CONTRACT, DEFAULT_TYPE
from engine.core.catalog.priorities import priority_level
from engine.core.dialog.endpoint import DialogEndpoint, Permit
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput, allows, next_state
from engine.core.exchange.commands import BeginDialog, EndConversation, MoveConversation, OutgoingMessage, Send
from engine.core.exchange.events import MessageQueuedForTransmission, MessageSentDirectly
from engine.core.exchange.replies import ConversationEnded, ConversationMoved, DialogBegun, MessageSent
from engine.core.handlers.broker import Broker
from engine.core.handlers.checks import NO_SUCH_TYPE, send_fault
from engine.core.handlers.closing import close, move, retain_sent, say_why_frozen
from engine.core.handlers.conversation_timers import clear_timer
from engine.core.handlers.outbound import flush_acknowledgement, transmit
from engine.core.handlers.planning import plan
from engine.core.handlers.session import GROUP_LOCKED, Session, input_of, no_conversation
from engine.core.queues.transactions import DialogToBegin
from engine.core.vocabulary.errors import LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    MessageTypeName,
    known_id,
    shared,
)
from engine.core.vocabulary.limits import (
    ERROR_CODE_MAX,
    ERROR_DESCRIPTION_LENGTH_MAX,
    LIFETIME_SECONDS_MAX,
    SERVICE_NAME_LENGTH_MAX,
)
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, TransmissionRow
from engine.core.vocabulary.subclasses import ConversationHappening

MAY_SEND = frozenset(state for state in ConversationState if allows(state, DialogInput.SEND))

ENDED_HERE = frozenset({ConversationState.DISCONNECTED_OUTBOUND, ConversationState.CLOSED})
"""States after our own END, in which nothing that was sent before is left to send."""


def begin_dialog(broker: Broker, command: BeginDialog) -> DialogBegun:
    """BEGIN DIALOG: the initiator endpoint, and nothing else (protocol.md 8.2, row 1)."""
    session = Session(broker, command)
    row = _new_dialog(broker, session, command)
    session.check_room()
    session.lock(row.conversation_group_id)
    if session.transaction is None:
        open_dialog(broker, session.database.name, row)
    else:
        session.transaction.begun[session.database.name, row.conversation_handle] = row
        session.hold_back(DialogToBegin(session.database.name, row))
    return DialogBegun(
        conversation_handle=row.conversation_handle,
        conversation_id=row.conversation_id,
        conversation_group_id=row.conversation_group_id,
    )


def _new_dialog(broker: Broker, session: Session, command: BeginDialog) -> ConversationEndpoint:
    database = session.database
    contract = DEFAULT_CONTRACT if command.contract is None else command.contract
    if command.from_service not in database.services:
        raise LocalProtocolError(8423, service=command.from_service, database=database.name)
    if not is_service_name(command.to_service):
        raise LocalProtocolError(8412, service=command.to_service, limit=SERVICE_NAME_LENGTH_MAX)
    if contract_of(database, contract) is None:
        raise LocalProtocolError(8425, contract=contract, database=database.name)
    lifetime = LIFETIME_SECONDS_MAX if command.lifetime_seconds is None else command.lifetime_seconds
    if not 0 < lifetime <= LIFETIME_SECONDS_MAX:
        raise LocalProtocolError(8411, value=lifetime, limit=LIFETIME_SECONDS_MAX)
    return ConversationEndpoint(
        conversation_handle=ConversationHandle(broker.entropy.new_uuid()),
        conversation_id=ConversationId(broker.entropy.new_uuid()),
        is_initiator=True,
        conversation_group_id=_group(broker, session, command),
        service=shared(command.from_service),
        contract=shared(contract),
        priority=priority_level(database, contract, command.from_service, command.to_service),
        state=ConversationState.STARTED_OUTBOUND,
        far_service=shared(command.to_service),
        far_broker_instance=_far_id(database, command),
        lifetime=UtcTime(broker.now.utc + lifetime),
        is_encryption_wanted=command.encryption,
    )


def open_dialog(broker: Broker, database: DatabaseName, row: ConversationEndpoint) -> None:
    """A dialog that was begun exists."""
    endpoint = broker.endpoint(database, row)
    broker.add(endpoint)
    broker.touch(endpoint)
    broker.announce(endpoint, ConversationHappening.BEGIN_DIALOG)
    plan(broker, endpoint)


def _far_id(database: DatabaseCatalog, command: BeginDialog) -> BrokerInstanceId | None:
    return database.broker_instance if command.to_current_database else known_id(command.to_broker_instance)


def _group(broker: Broker, session: Session, command: BeginDialog) -> ConversationGroupId:
    wanted = command.conversation_group_id
    if wanted is None:
        return ConversationGroupId(broker.entropy.new_uuid())
    queue = session.database.services[command.from_service].queue
    if session.has_group(wanted) and session.queue_of_group(wanted) != queue:
        raise LocalProtocolError(8414, value=str(wanted), queue=queue)
    return wanted


def send(broker: Broker, command: Send) -> MessageSent:
    """SEND: number the message, store it or deliver it here, and let it leave if it can."""
    if command.transaction is not None:
        return _send_later(broker, command)
    endpoint, retains = permitted(broker, command, command.database)
    number = endpoint.row.send_sequence
    dispatch(broker, endpoint, command, retains=retains)
    broker.counters.sql_sends += 1
    return MessageSent(message_sequence_number=number)


def permitted(broker: Broker, message: Send | OutgoingMessage, database: DatabaseName) -> tuple[DialogEndpoint, bool]:
    """The conversation of a message that may be sent on it now, and whether the sender's queue keeps a copy."""
    endpoint = broker.conversations.get((database, message.conversation_handle))
    if endpoint is None:
        raise no_conversation(broker, database, message.conversation_handle)
    row, message_type, body = endpoint.row, message.message_type or DEFAULT_TYPE, message.body
    permit = endpoint.send_permit
    if (
        permit is None
        or permit.definitions is not broker.uses
        or permit.state is not row.state
        or permit.message_type != message_type
    ):
        permit = endpoint.send_permit = _send_permit(broker, endpoint.database, row, message_type)
    if body is not None and len(body) > broker.settings.dialog.message_bytes_max:
        raise _too_large(broker, body)
    if broker.transactions.open and not broker.transactions.may_lock(
        endpoint.database, row.conversation_group_id, None
    ):
        raise LocalProtocolError(GROUP_LOCKED, value=str(row.conversation_group_id))
    return endpoint, permit.retains


def _send_permit(
    broker: Broker, database: DatabaseName, row: ConversationEndpoint, message_type: MessageTypeName
) -> Permit:
    like_it = database, row.service, row.contract, row.is_initiator, row.state, message_type
    permit = broker.send_permits.get(like_it)
    if permit is None:
        _check_send(broker, database, row, message_type)
        retains = broker.served(database, row.service).definition.is_retention_enabled
        permit = broker.send_permits[like_it] = Permit(broker.uses, row.state, row.contract, message_type, retains)
    return permit


def _send_later(broker: Broker, command: Send) -> MessageSent:
    """A SEND of a transaction is checked now and happens at the commit."""
    session = Session(broker, command)
    row = permitted_later(broker, session, command)
    session.check_room()
    return send_held_back(broker, session, command, row)


def permitted_later(broker: Broker, session: Session, message: Send | OutgoingMessage) -> ConversationEndpoint:
    """The conversation, as a transaction sees it, of a message that the transaction may send on it."""
    row = session.row(message.conversation_handle)
    _check_send(broker, session.database.name, row, message.message_type or DEFAULT_TYPE)
    if message.body is not None and len(message.body) > broker.settings.dialog.message_bytes_max:
        raise _too_large(broker, message.body)
    if not session.may_lock(row.conversation_group_id):
        raise LocalProtocolError(GROUP_LOCKED, value=str(row.conversation_group_id))
    return row


def send_held_back(broker: Broker, session: Session, command: Send, row: ConversationEndpoint) -> MessageSent:
    """What was permitted waits for the commit."""
    assert session.transaction is not None, "what is not in a transaction happens at once"
    session.lock(row.conversation_group_id)
    session.transaction.sends[session.database.name, row.conversation_handle] += 1
    session.hold_back(command)
    broker.counters.sql_sends += 1
    return MessageSent(message_sequence_number=row.send_sequence)


def dispatch(broker: Broker, endpoint: DialogEndpoint, command: Send | OutgoingMessage, *, retains: bool) -> None:
    """A SEND commits. If the far side has ended since it was made, the message waits frozen (9779, 9784)."""
    if endpoint.row.state is not ConversationState.CONVERSING:
        _move_on(broker, endpoint)
    # A body of length zero arrives as NULL (protocol.md 12).
    message_type, body = command.message_type or DEFAULT_TYPE, command.body or None
    number = enqueue(broker, endpoint, MessageKind.USER, message_type, body)
    if retains and endpoint.is_known:
        retain_sent(broker, endpoint, number, message_type, body)
    if endpoint.row.state is not ConversationState.CONVERSING:
        say_why_frozen(broker, endpoint)


def _move_on(broker: Broker, endpoint: DialogEndpoint) -> None:
    """What a SEND is to the state of its endpoint."""
    if endpoint.row.state in MAY_SEND:
        move(broker, endpoint, DialogInput.SEND)


def _check_send(
    broker: Broker, database: DatabaseName, row: ConversationEndpoint, message_type: MessageTypeName
) -> None:
    if row.service == BROKER_SERVICE:
        raise no_conversation(broker, database, row.conversation_handle)
    if row.state not in MAY_SEND:
        raise LocalProtocolError(8429, state=row.state.name, conversation_handle=str(row.conversation_handle))
    use = broker.uses.of(database, row.contract, message_type)
    fault = send_fault(use, is_initiator=row.is_initiator)
    if fault == NO_SUCH_TYPE:
        raise LocalProtocolError(fault, message_type=message_type, database=database)
    if fault is not None:
        raise LocalProtocolError(fault, message_type=message_type, contract=row.contract)
    queue = broker.served(database, row.service).definition
    if queue.is_retention_enabled and not queue.is_enabled:
        raise LocalProtocolError(9618, queue=queue.name)


def _too_large(broker: Broker, body: bytes) -> LocalProtocolError:
    return LocalProtocolError(8459, value=len(body), limit=broker.settings.dialog.message_bytes_max)


def enqueue(
    broker: Broker,
    endpoint: DialogEndpoint,
    kind: MessageKind,
    message_type: MessageTypeName | None,
    body: bytes | None,
) -> int:
    """Give a message the next number and try to pass it on; what could not be delivered here at once is stored."""
    number, now, size = endpoint.row.send_sequence, broker.now.utc, broker.settings.dialog.fragment_bytes
    row = TransmissionRow(
        conversation_handle=endpoint.row.conversation_handle,
        message_sequence_number=number,
        kind=kind,
        message_type_name=message_type,
        message_body=body,
        enqueue_time=now,
        # The size of a large message's pieces is fixed for good: acknowledgements count them (protocol.md 3.3, 3.4).
        fragment_bytes=size if body is not None and len(body) > size and kind is MessageKind.USER else None,
    )
    endpoint.row = msgspec.structs.replace(endpoint.row, send_sequence=number + 1)
    broker.touched[endpoint] = None
    endpoint.sender.enqueue(row)
    told: type[MessageQueuedForTransmission | MessageSentDirectly] = MessageQueuedForTransmission
    decision = endpoint.decision
    if decision is not None and decision.address is not None and endpoint.reclassify_at is None:
        # It waits for its acknowledgement whatever happens, so it may leave together with those that follow.
        broker.noticed[endpoint] = None
        broker.store_transmission(endpoint, row)
    else:
        transmit(broker, endpoint)
        if endpoint.sender.holds(number):
            broker.store_transmission(endpoint, row)
        else:
            told = MessageSentDirectly
    broker.tell(
        told(
            at=now,
            database=endpoint.database,
            conversation_handle=row.conversation_handle,
            message_sequence_number=number,
            kind=kind,
        )
    )
    return number


def move_conversation(broker: Broker, command: MoveConversation) -> ConversationMoved:
    """MOVE CONVERSATION: to another group of the same queue, with its messages (protocol.md 10)."""
    session = Session(broker, command)
    row, group = session.row(command.conversation_handle), command.conversation_group_id
    if not allows(row.state, DialogInput.MOVE):
        raise LocalProtocolError(8438, state=row.state.name, conversation_handle=str(row.conversation_handle))
    if not session.has_group(group):
        raise LocalProtocolError(8436, value=str(group))
    service = session.database.services.get(row.service)
    if service is None or session.queue_of_group(group) != service.queue:
        raise LocalProtocolError(8439, value=str(group))
    session.check_room()
    session.lock(row.conversation_group_id, group)
    if session.transaction is None:
        broker.regroup(broker.conversations[session.database.name, row.conversation_handle], group)
    else:
        session.transaction.moved[session.database.name, row.conversation_handle] = group
        session.hold_back(command)
    return ConversationMoved(conversation_group_id=group)


def end_conversation(broker: Broker, command: EndConversation) -> ConversationEnded:
    """END CONVERSATION, plain, WITH ERROR or WITH CLEANUP (protocol.md 8.2, rows 3, 8, 9, 13, 14, 20)."""
    session = Session(broker, command)
    row = session.row(command.conversation_handle)
    _check_end(row, command)
    session.check_room()
    session.lock(row.conversation_group_id)
    key = (session.database.name, row.conversation_handle)
    if session.transaction is not None:
        session.transaction.ended.setdefault(key, []).append(command)
        session.hold_back(command)
        after = next_state(row.state, input_of(command))
        is_gone = after is ConversationState.CLOSED and row.is_initiator
        return ConversationEnded(state=None if is_gone else after, before=row.state)
    endpoint, before = broker.conversations[key], row.state
    finish(broker, endpoint, command)
    return ConversationEnded(state=endpoint.row.state if broker.knows(endpoint) else None, before=before)


def finish(broker: Broker, endpoint: DialogEndpoint, command: EndConversation) -> None:
    """An END commits, in whatever state the endpoint is now."""
    happening = input_of(command)
    if command.with_cleanup:
        move(broker, endpoint, happening)
        return
    is_error = command.error_code is not None
    broker.clear_queue_of(endpoint)
    clear_timer(broker, endpoint)
    endpoint.receiver.forget_held()
    state = endpoint.row.state
    if state in (ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR):
        flush_acknowledgement(broker, endpoint)
        close(broker, endpoint, happening)
    elif is_error and endpoint.row.is_initiator and endpoint.sender.is_untouched(0):
        # The far side has never heard of this dialog, and message 0 goes with the others: there is nobody to tell.
        move(broker, endpoint, DialogInput.END_UNHEARD)
    elif move(broker, endpoint, happening):
        _say_goodbye(broker, endpoint, command if is_error else None)


def _check_end(row: ConversationEndpoint, command: EndConversation) -> None:
    code, description = command.error_code, command.error_description
    if command.with_cleanup:
        if code is not None or description is not None:
            raise LocalProtocolError(102, found="WITH CLEANUP", expected="WITH ERROR or WITH CLEANUP, not both")
        return
    if (code is None) != (description is None):
        raise LocalProtocolError(8422 if description is None else 8419)
    if code is not None and not 0 < code <= ERROR_CODE_MAX:
        raise LocalProtocolError(8424, value=code)
    if description is not None and len(description) > ERROR_DESCRIPTION_LENGTH_MAX:
        raise LimitExceeded(8152, value=len(description), limit=ERROR_DESCRIPTION_LENGTH_MAX)
    if not allows(row.state, DialogInput.END_LOCAL):
        raise LocalProtocolError(8427, state=row.state.name, conversation_handle=str(row.conversation_handle))


def _say_goodbye(broker: Broker, endpoint: DialogEndpoint, error: EndConversation | None) -> None:
    """EndDialog after all pending messages, or, with an error, the Error instead of them (rows 8, 9)."""
    number = endpoint.row.send_sequence
    endpoint.revise(end_dialog_sequence=number)
    if error is None:
        enqueue(broker, endpoint, MessageKind.END_DIALOG, None, None)
        return
    broker.clear_transmission(endpoint)
    body = error_body(error.error_code or 0, error.error_description or "")
    enqueue(broker, endpoint, MessageKind.ERROR, None, body)
