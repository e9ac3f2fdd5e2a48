"""Dialogs and queues of the console: each function is one call of the engine, with the engine's own words.

Not responsible for rights (the API's gate) nor for the meaning of statements (the engine's).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar
from uuid import UUID, uuid4, uuid5

import msgspec

from brokerweb.common.errors import EngineRefused, MalformedRequest
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine

COMMAND_SECONDS = 15
"""How long an instance may take to answer a command."""
CURRENT_DATABASE = "CURRENT DATABASE"
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le"}

R = TypeVar("R")


class MessagesSent(msgspec.Struct, frozen=True):
    """Numbers of the messages that are stored now."""

    first_sequence_number: int
    last_sequence_number: int
    count: int


def conversation_begin(
    place: DatabasePlace,
    key: UUID | None,
    *,
    from_service: str,
    to_service: str,
    to_broker_instance: str | None = None,
    contract: str | None = None,
    lifetime_seconds: int | None = None,
) -> engine.DialogBegun:
    """BEGIN DIALOG in the database. Raises `EngineRefused`, `EngineUnavailable`."""
    to_current_database = to_broker_instance is not None and to_broker_instance.upper() == CURRENT_DATABASE
    broker_instance: engine.BrokerInstanceId | None = None
    if to_broker_instance is not None and not to_current_database:
        try:
            broker_instance = engine.parse_broker_instance(to_broker_instance)
        except engine.BrokerError as error:
            raise EngineRefused(error, "/to_broker_instance") from error
    command = engine.BeginDialog(
        command_id=_command_id(key),
        database=engine.DatabaseName(place.database),
        from_service=engine.ServiceName(from_service),
        to_service=engine.ServiceName(to_service),
        to_broker_instance=broker_instance,
        to_current_database=to_current_database,
        contract=None if contract is None else engine.ContractName(contract),
        lifetime_seconds=lifetime_seconds,
    )
    return _one(place, command, engine.DialogBegun)


def messages_send(
    place: DatabasePlace,
    key: UUID | None,
    *,
    handle: UUID,
    bodies: Sequence[str],
    message_type: str | None = None,
    encoding: str = "utf-8",
) -> MessagesSent:
    """SEND every body, in order, as one task of the instance. Raises `EngineRefused`, `EngineUnavailable`.

    When the engine refuses one, `EngineRefused` says how many before it were stored.
    """
    first_key = _command_id(key)
    commands = [
        engine.Send(
            command_id=engine.CommandId(uuid5(first_key, str(position))),
            database=engine.DatabaseName(place.database),
            conversation_handle=engine.ConversationHandle(handle),
            message_type=None if message_type is None else engine.MessageTypeName(message_type),
            body=text.encode(CODECS[encoding]),
        )
        for position, text in enumerate(bodies)
    ]
    numbers: list[int] = []
    for reply in engine.execute(place.estate, place.instance, commands, timeout_seconds=COMMAND_SECONDS):
        if isinstance(reply, engine.Refusal):
            raise EngineRefused(reply, f"/bodies/{len(numbers)}" if len(bodies) > 1 else None, stored=len(numbers))
        numbers.append(_expected(reply, engine.MessageSent).message_sequence_number)
    return MessagesSent(first_sequence_number=numbers[0], last_sequence_number=numbers[-1], count=len(numbers))


def conversation_end(
    place: DatabasePlace,
    key: UUID | None,
    *,
    handle: UUID,
    error_code: int | None = None,
    error_description: str | None = None,
    with_cleanup: bool = False,
) -> engine.ConversationEnded:
    """END CONVERSATION. Raises `MalformedRequest` for half an error, `EngineRefused`, `EngineUnavailable`."""
    if (error_code is None) != (error_description is None):
        raise MalformedRequest(
            "WITH ERROR takes a code and a description, and only one of them was given.",
            cure="Give both, or neither.",
            pointer="/error_code" if error_code is None else "/error_description",
        )
    command = engine.EndConversation(
        command_id=_command_id(key),
        database=engine.DatabaseName(place.database),
        conversation_handle=engine.ConversationHandle(handle),
        error_code=error_code,
        error_description=error_description,
        with_cleanup=with_cleanup,
    )
    return _one(place, command, engine.ConversationEnded)


def messages_receive(
    place: DatabasePlace, key: UUID | None, *, queue: str, top: int = 1, conversation_handle: UUID | None = None
) -> tuple[engine.QueueRow, ...]:
    """RECEIVE TOP (`top`) from a queue, for good; empty when nothing is ready."""
    command = engine.Receive(
        command_id=_command_id(key),
        database=engine.DatabaseName(place.database),
        queue=engine.QueueName(queue),
        top=top,
        conversation_handle=None if conversation_handle is None else engine.ConversationHandle(conversation_handle),
    )
    return _one(place, command, engine.MessagesReceived).messages


def messages_peek(place: DatabasePlace, *, queue: str, top: int) -> engine.QueuePeek:
    """The first messages of a queue; nothing is taken."""
    return engine.peek_queue(place.estate, place.instance, place.database, queue, top)


def _command_id(key: UUID | None) -> engine.CommandId:
    return engine.CommandId(uuid4() if key is None else key)


def _one(place: DatabasePlace, command: engine.Command, kind: type[R]) -> R:
    """The reply to one command; a refusal becomes `EngineRefused`."""
    (reply,) = engine.execute(place.estate, place.instance, [command], timeout_seconds=COMMAND_SECONDS)
    if isinstance(reply, engine.Refusal):
        raise EngineRefused(reply)
    return _expected(reply, kind)


def _expected(reply: object, kind: type[R]) -> R:
    assert isinstance(reply, kind), f"the engine answered {type(reply).__name__} to what takes {kind.__name__}"
    return reply
