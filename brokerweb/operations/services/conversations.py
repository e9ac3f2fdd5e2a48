"""Dialogs of the console: BEGIN, SEND, MOVE, timers and END."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid5

import msgspec
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest
from brokerweb.operations.services import commands
from brokerweb.operations.services.commands import command_id, expected, reply_to, transaction_id
from brokerweb.operations.services.several import (
    Conversation,
    Result,
    command_each,
    conversation_deed,
    results_note,
)
from brokerweb.topology.deeds import Deed
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine

CURRENT_DATABASE = "CURRENT DATABASE"
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le"}


class MessagesSent(msgspec.Struct, frozen=True):
    """Numbers of the messages that are stored now, or that they get when their transaction commits."""

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
    encryption: bool = False,
    related_conversation: UUID | None = None,
    related_conversation_group: UUID | None = None,
    transaction: UUID | None = None,
) -> engine.DialogBegun:
    """BEGIN DIALOG in the database. Raises `MalformedRequest`, `EngineRefused`, `EngineUnavailable`."""
    to_current_database = to_broker_instance is not None and to_broker_instance.upper() == CURRENT_DATABASE
    broker_instance: engine.BrokerInstanceId | None = None
    if to_broker_instance is not None and not to_current_database:
        try:
            broker_instance = engine.parse_broker_instance(to_broker_instance)
        except engine.BrokerError as error:
            raise EngineRefused(error, "/to_broker_instance") from error
    command = engine.BeginDialog(
        command_id=command_id(key),
        database=engine.DatabaseName(place.database),
        from_service=engine.ServiceName(from_service),
        to_service=engine.ServiceName(to_service),
        to_broker_instance=broker_instance,
        to_current_database=to_current_database,
        contract=None if contract is None else engine.ContractName(contract),
        conversation_group_id=_group(place, related_conversation, related_conversation_group),
        lifetime_seconds=lifetime_seconds,
        transaction=transaction_id(transaction),
        encryption=encryption,
    )
    return reply_to(place, command, engine.DialogBegun)


def _group(place: DatabasePlace, conversation: UUID | None, group: UUID | None) -> engine.ConversationGroupId | None:
    """The group that a dialog joins: named itself, or by one of its conversations (8426); at most one of the two."""
    if conversation is not None and group is not None:
        raise MalformedRequest(
            _("A dialog joins one conversation group, and two were named."),
            cure=_("Give related_conversation or related_conversation_group, not both."),
            pointer="/related_conversation_group",
        )
    if conversation is None:
        return None if group is None else engine.ConversationGroupId(group)
    offset: int | None = 0
    while offset is not None:
        query = engine.SystemViewQuery(
            database=engine.DatabaseName(place.database),
            view="sys.conversation_endpoints",
            columns=("conversation_group_id",),
            filters=(engine.ColumnFilter(column="conversation_handle", value=str(conversation)),),
            offset=offset,
            rows_max=1,
        )
        page = engine.read_system_view(place.estate, place.instance, query)
        if page.rows:
            return engine.ConversationGroupId(UUID(str(page.rows[0][0])))
        offset = page.next_offset
    error = engine.LocalProtocolError(8426, conversation_handle=str(conversation))
    raise EngineRefused(error, "/related_conversation")


def messages_send(
    place: DatabasePlace,
    key: UUID | None,
    *,
    handle: UUID,
    bodies: Sequence[str],
    message_type: str | None = None,
    encoding: str = "utf-8",
    transaction: UUID | None = None,
) -> MessagesSent:
    """SEND every body, in order, as one task of the instance. Raises `EngineRefused`, `EngineUnavailable`.

    When the engine refuses one, `EngineRefused` says how many before it were stored.
    """
    first_key = command_id(key)
    sends = [
        engine.Send(
            command_id=engine.CommandId(uuid5(first_key, str(position))),
            database=engine.DatabaseName(place.database),
            conversation_handle=engine.ConversationHandle(handle),
            message_type=None if message_type is None else engine.MessageTypeName(message_type),
            body=text.encode(CODECS[encoding]),
            transaction=transaction_id(transaction),
        )
        for position, text in enumerate(bodies)
    ]
    numbers: list[int] = []
    for reply in engine.execute(place.estate, place.instance, sends, timeout_seconds=commands.COMMAND_SECONDS):
        if isinstance(reply, engine.Refusal):
            raise EngineRefused(reply, f"/bodies/{len(numbers)}" if len(bodies) > 1 else None, stored=len(numbers))
        numbers.append(expected(reply, engine.MessageSent).message_sequence_number)
    return MessagesSent(first_sequence_number=numbers[0], last_sequence_number=numbers[-1], count=len(numbers))


def conversations_end(
    estate: str,
    key: UUID | None,
    *,
    user: User | None,
    conversations: Sequence[Conversation],
    error_code: int | None = None,
    error_description: str | None = None,
    with_cleanup: bool = False,
    transaction: UUID | None = None,
) -> list[Result[engine.ConversationEnded]]:
    """END CONVERSATION for each, with a result for each and one row of the log. `MalformedRequest` for half an error.

    With a transaction it is what its instance will do when it commits; that is noted now.
    """
    if (error_code is None) != (error_description is None):
        raise MalformedRequest(
            _("WITH ERROR takes a code and a description, and only one of them was given."),
            cure=_("Give both, or neither."),
            pointer="/error_code" if error_code is None else "/error_description",
        )
    first_key = command_id(key)

    def end(place: DatabasePlace, conversation: Conversation) -> engine.EndConversation:
        handle = conversation.conversation_handle
        return engine.EndConversation(
            command_id=engine.CommandId(first_key if len(conversations) == 1 else uuid5(first_key, str(handle))),
            database=engine.DatabaseName(place.database),
            conversation_handle=engine.ConversationHandle(handle),
            error_code=error_code,
            error_description=error_description,
            with_cleanup=with_cleanup,
            transaction=transaction_id(transaction),
        )

    results = command_each(estate, conversations, end, engine.ConversationEnded)
    verb = "clean-up" if with_cleanup else "end"
    results_note(estate, results, _ended, user=user, one=f"{verb}-conversation", several=f"{verb}-conversations")
    return results


def _ended(conversation: Conversation, reply: engine.ConversationEnded) -> Deed:
    before, after = (None if state is None else state.value for state in (reply.before, reply.state))
    return conversation_deed(conversation, "state", before, after, after is None)


def conversation_end(
    place: DatabasePlace,
    key: UUID | None,
    *,
    handle: UUID,
    user: User | None,
    error_code: int | None = None,
    error_description: str | None = None,
    with_cleanup: bool = False,
    transaction: UUID | None = None,
) -> engine.ConversationEnded:
    """END CONVERSATION for one. Raises `MalformedRequest` for half an error, `EngineRefused`, `EngineUnavailable`."""
    (result,) = conversations_end(
        place.estate,
        key,
        user=user,
        conversations=[Conversation(place.instance, place.database, handle)],
        error_code=error_code,
        error_description=error_description,
        with_cleanup=with_cleanup,
        transaction=transaction,
    )
    if result.failure is not None:
        raise result.failure
    assert result.reply is not None
    return result.reply


def conversation_move(
    place: DatabasePlace,
    key: UUID | None,
    *,
    handle: UUID,
    conversation_group_id: UUID,
    transaction: UUID | None = None,
) -> engine.replies.ConversationMoved:
    """MOVE CONVERSATION to another group of its queue. Raises `EngineRefused` (8426, 8436, 8438, 8439)."""
    command = engine.commands.MoveConversation(
        command_id=command_id(key),
        database=engine.DatabaseName(place.database),
        conversation_handle=engine.ConversationHandle(handle),
        conversation_group_id=engine.ConversationGroupId(conversation_group_id),
        transaction=transaction_id(transaction),
    )
    return reply_to(place, command, engine.replies.ConversationMoved)


def timer_begin(
    place: DatabasePlace, key: UUID | None, *, handle: UUID, timeout_seconds: int, transaction: UUID | None = None
) -> engine.replies.TimerSet:
    """BEGIN CONVERSATION TIMER. Raises `EngineRefused` (153, 8410, 8426, 8458)."""
    command = engine.commands.BeginConversationTimer(
        command_id=command_id(key),
        database=engine.DatabaseName(place.database),
        conversation_handle=engine.ConversationHandle(handle),
        timeout_seconds=timeout_seconds,
        transaction=transaction_id(transaction),
    )
    return reply_to(place, command, engine.replies.TimerSet)
