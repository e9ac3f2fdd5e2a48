"""BEGIN DIALOG, SEND and END CONVERSATION (protocol.md 8, 12; tsql.md 9). Each checks everything, then acts."""

from __future__ import annotations

from engine.core.catalog.builtin import contract_of, message_type_of, service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import DEFAULT_CONTRACT, DEFAULT_TYPE, SentBy
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput, allows
from engine.core.exchange.commands import BeginDialog, EndConversation, Send
from engine.core.exchange.events import MessageQueuedForTransmission
from engine.core.exchange.replies import ConversationEnded, DialogBegun, MessageSent
from engine.core.handlers.broker import Broker
from engine.core.handlers.checks import direction
from engine.core.handlers.closing import close, move
from engine.core.handlers.outbound import flush_acknowledgement, plan, transmit
from engine.core.vocabulary.errors import LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    MessageTypeName,
    known_id,
)
from engine.core.vocabulary.limits import (
    ERROR_DESCRIPTION_LENGTH_MAX,
    LIFETIME_SECONDS_MAX,
    MESSAGE_BODY_BYTES_MAX,
    SERVICE_NAME_LENGTH_MAX,
)
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, TransmissionRow


def begin_dialog(broker: Broker, command: BeginDialog) -> DialogBegun:
    """BEGIN DIALOG: the initiator endpoint, and nothing else (protocol.md 8.2, row 1)."""
    database = database_of(broker, command.database)
    contract = command.contract or DEFAULT_CONTRACT
    if command.from_service not in database.services:
        raise LocalProtocolError(8423, service=command.from_service, database=database.name)
    if not 0 < len(command.to_service) <= SERVICE_NAME_LENGTH_MAX:
        raise LocalProtocolError(8412, service=command.to_service, limit=SERVICE_NAME_LENGTH_MAX)
    if contract_of(database, contract) is None:
        raise LocalProtocolError(8425, contract=contract, database=database.name)
    lifetime = LIFETIME_SECONDS_MAX if command.lifetime_seconds is None else command.lifetime_seconds
    if not 0 < lifetime <= LIFETIME_SECONDS_MAX:
        raise LocalProtocolError(8411, value=lifetime, limit=LIFETIME_SECONDS_MAX)
    endpoint = broker.endpoint(
        database.name,
        ConversationEndpoint(
            conversation_handle=ConversationHandle(broker.entropy.new_uuid()),
            conversation_id=ConversationId(broker.entropy.new_uuid()),
            is_initiator=True,
            conversation_group_id=_group(broker, database, command),
            service=command.from_service,
            contract=contract,
            state=ConversationState.STARTED_OUTBOUND,
            far_service=command.to_service,
            far_broker_instance=_far_id(database, command),
            lifetime=UtcTime(broker.now.utc + lifetime),
            is_encryption_wanted=command.encryption,
        ),
    )
    broker.add(endpoint)
    broker.touch(endpoint)
    broker.announce_state(endpoint)
    plan(broker, endpoint)
    row = endpoint.row
    return DialogBegun(
        conversation_handle=row.conversation_handle,
        conversation_id=row.conversation_id,
        conversation_group_id=row.conversation_group_id,
    )


def _far_id(database: DatabaseCatalog, command: BeginDialog) -> BrokerInstanceId | None:
    return database.broker_instance if command.to_current_database else known_id(command.to_broker_instance)


def _group(broker: Broker, database: DatabaseCatalog, command: BeginDialog) -> ConversationGroupId:
    wanted = command.conversation_group_id
    if wanted is None:
        return ConversationGroupId(broker.entropy.new_uuid())
    queue = database.services[command.from_service].queue
    for (owner, _), endpoint in broker.conversations.items():
        if owner == database.name and endpoint.row.conversation_group_id == wanted:
            service = service_of(database, endpoint.row.service)
            if service is None or service.queue != queue:
                raise LocalProtocolError(8414, value=str(wanted), queue=queue)
            break
    return wanted


def send(broker: Broker, command: Send) -> MessageSent:
    """SEND: number the message, store it or deliver it here, and let it leave if it can."""
    database = database_of(broker, command.database)
    endpoint = endpoint_of(broker, command.database, command.conversation_handle)
    message_type = command.message_type or DEFAULT_TYPE
    _check_send(database, endpoint, message_type, command.body)
    move(broker, endpoint, DialogInput.SEND)
    # A body of length zero arrives as NULL (protocol.md 12).
    number = enqueue(broker, endpoint, MessageKind.USER, message_type, command.body or None)
    return MessageSent(message_sequence_number=number)


def _check_send(
    database: DatabaseCatalog, endpoint: DialogEndpoint, message_type: MessageTypeName, body: bytes | None
) -> None:
    row = endpoint.row
    if not allows(row.state, DialogInput.SEND):
        raise LocalProtocolError(8429, state=row.state.name, conversation_handle=str(row.conversation_handle))
    if message_type_of(database, message_type) is None:
        raise LocalProtocolError(8428, message_type=message_type, database=database.name)
    contract = contract_of(database, row.contract)
    sent_by = direction(contract, message_type) if contract is not None else None
    if sent_by is None:
        raise LocalProtocolError(8431, message_type=message_type, contract=row.contract)
    if row.is_initiator and sent_by is SentBy.TARGET:
        raise LocalProtocolError(8432, message_type=message_type, contract=row.contract)
    if not row.is_initiator and sent_by is SentBy.INITIATOR:
        raise LocalProtocolError(8434, message_type=message_type, contract=row.contract)
    if body is not None and len(body) > MESSAGE_BODY_BYTES_MAX:
        raise LocalProtocolError(8459, value=len(body), limit=MESSAGE_BODY_BYTES_MAX)


def enqueue(
    broker: Broker,
    endpoint: DialogEndpoint,
    kind: MessageKind,
    message_type: MessageTypeName | None,
    body: bytes | None,
) -> int:
    """Give a message the next number and try to pass it on; what could not be delivered here at once is stored."""
    number = endpoint.row.send_sequence
    row = TransmissionRow(
        conversation_handle=endpoint.row.conversation_handle,
        message_sequence_number=number,
        kind=kind,
        message_type_name=message_type,
        message_body=body,
        enqueue_time=broker.now.utc,
    )
    endpoint.revise(send_sequence=number + 1)
    broker.touch(endpoint)
    endpoint.sender.enqueue(row)
    transmit(broker, endpoint)
    if endpoint.sender.holds(number):
        broker.store_transmission(endpoint, row)
        broker.tell(
            MessageQueuedForTransmission(
                at=broker.now.utc,
                database=endpoint.database,
                conversation_handle=row.conversation_handle,
                message_sequence_number=number,
                kind=kind,
            )
        )
    return number


def end_conversation(broker: Broker, command: EndConversation) -> ConversationEnded:
    """END CONVERSATION, plain, WITH ERROR or WITH CLEANUP (protocol.md 8.2, rows 3, 8, 9, 13, 14, 20)."""
    database_of(broker, command.database)
    endpoint = endpoint_of(broker, command.database, command.conversation_handle)
    is_error = command.error_code is not None or command.error_description is not None
    if command.with_cleanup and is_error:
        raise LocalProtocolError(102, found="WITH CLEANUP", expected="WITH ERROR or WITH CLEANUP, not both")
    if command.with_cleanup:
        move(broker, endpoint, DialogInput.END_WITH_CLEANUP)
        return ConversationEnded(state=None)
    _check_end(endpoint, command)
    broker.clear_queue_of(endpoint)
    endpoint.receiver.forget_held()
    state = endpoint.row.state
    if state in (ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR):
        flush_acknowledgement(broker, endpoint)
        close(broker, endpoint, DialogInput.END_LOCAL)
    elif is_error and endpoint.sender.is_untouched(0):
        # The far side has never heard of this dialog, and message 0 goes with the others: there is nobody to tell.
        broker.forget(endpoint)
    elif move(broker, endpoint, DialogInput.END_LOCAL):
        _say_goodbye(broker, endpoint, command if is_error else None)
    return ConversationEnded(state=endpoint.row.state if broker.knows(endpoint) else None)


def _check_end(endpoint: DialogEndpoint, command: EndConversation) -> None:
    code, description = command.error_code, command.error_description
    if (code is None) != (description is None):
        raise LocalProtocolError(8422 if description is None else 8419)
    if code is not None and code <= 0:
        raise LocalProtocolError(8424, value=code)
    if description is not None and len(description) > ERROR_DESCRIPTION_LENGTH_MAX:
        raise LimitExceeded(8152, value=len(description), limit=ERROR_DESCRIPTION_LENGTH_MAX)
    if not allows(endpoint.row.state, DialogInput.END_LOCAL):
        raise LocalProtocolError(
            8427, state=endpoint.row.state.name, conversation_handle=str(endpoint.row.conversation_handle)
        )


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


def database_of(broker: Broker, name: DatabaseName) -> DatabaseCatalog:
    """A database of the instance, or 911."""
    database = broker.catalog.databases.get(name)
    if database is None:
        raise LocalProtocolError(911, database=name)
    return database


def endpoint_of(broker: Broker, database: DatabaseName, handle: ConversationHandle) -> DialogEndpoint:
    """A conversation endpoint of a database, or 8426."""
    endpoint = broker.conversations.get((database, handle))
    if endpoint is None:
        raise LocalProtocolError(8426, conversation_handle=str(handle))
    return endpoint
