"""Many SENDs as one command: all of them are checked, then all of them happen, or none."""

from __future__ import annotations

from engine.core.exchange.commands import Send, SendMany
from engine.core.exchange.replies import MessagesSent
from engine.core.handlers import conversations
from engine.core.handlers.broker import Broker
from engine.core.handlers.session import TOO_MANY, Session
from engine.core.vocabulary.errors import LimitExceeded
from engine.core.vocabulary.limits import SEND_MESSAGES_MAX, TRANSACTION_STATEMENT_BYTES


def send_many(broker: Broker, command: SendMany) -> MessagesSent:
    """Number and store messages in their order; errors as SEND, 1204 for too many of them."""
    if len(command.messages) > SEND_MESSAGES_MAX:
        raise LimitExceeded(TOO_MANY, detail="One command has too many messages", limit=SEND_MESSAGES_MAX)
    if command.transaction is not None:
        return _send_later(broker, command)
    database = command.database
    permitted = [conversations.permitted(broker, message, database) for message in command.messages]
    numbers: list[int] = []
    for message, (endpoint, retains) in zip(command.messages, permitted, strict=True):
        numbers.append(endpoint.row.send_sequence)
        conversations.dispatch(broker, endpoint, message, retains=retains)
    broker.counters.sql_sends += len(numbers)
    return MessagesSent(message_sequence_numbers=tuple(numbers))


def _send_later(broker: Broker, command: SendMany) -> MessagesSent:
    session = Session(broker, command)
    for message in command.messages:
        conversations.permitted_later(broker, session, message)
    size = sum(len(message.body or b"") + TRANSACTION_STATEMENT_BYTES for message in command.messages)
    session.check_room(len(command.messages), size)
    numbers: list[int] = []
    for message in command.messages:
        one = Send(
            command_id=command.command_id,
            database=command.database,
            transaction=command.transaction,
            conversation_handle=message.conversation_handle,
            message_type=message.message_type,
            body=message.body,
        )
        row = session.row(message.conversation_handle)
        numbers.append(conversations.send_held_back(broker, session, one, row).message_sequence_number)
    return MessagesSent(message_sequence_numbers=tuple(numbers))
