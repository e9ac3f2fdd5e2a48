"""Queues of the console: RECEIVE, GET CONVERSATION GROUP, a look, and the switch."""

from __future__ import annotations

from uuid import UUID

from brokerweb.accounts.models import User
from brokerweb.operations.services.commands import command_id, reply_to, transaction_id
from brokerweb.operations.services.noting import noted
from brokerweb.operations.services.waiting import reply_in_time
from brokerweb.topology.deeds import Deed
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.summaries import saying
from engine import api as engine


def messages_receive(
    place: DatabasePlace,
    key: UUID | None,
    *,
    queue: str,
    top: int = 1,
    conversation_handle: UUID | None = None,
    conversation_group_id: UUID | None = None,
    transaction: UUID | None = None,
    wait_seconds: float = 0,
) -> tuple[engine.QueueRow, ...]:
    """RECEIVE TOP (`top`) from a queue, for good unless in a transaction; empty when nothing is ready.

    With `wait_seconds` it is WAITFOR (RECEIVE …): empty when nothing came in that time.
    """
    command = engine.Receive(
        command_id=command_id(key),
        database=engine.DatabaseName(place.database),
        queue=engine.QueueName(queue),
        top=top,
        conversation_handle=None if conversation_handle is None else engine.ConversationHandle(conversation_handle),
        conversation_group_id=(
            None if conversation_group_id is None else engine.ConversationGroupId(conversation_group_id)
        ),
        transaction=transaction_id(transaction),
        waitfor_milliseconds=engine.commands.waitfor_milliseconds(wait_seconds),
    )
    ask = reply_in_time if wait_seconds else reply_to
    return ask(place, command, engine.MessagesReceived).messages


def conversation_group_get(
    place: DatabasePlace, key: UUID | None, *, queue: str, transaction: UUID | None = None, wait_seconds: float = 0
) -> UUID | None:
    """GET CONVERSATION GROUP: the group that the next RECEIVE would read; None when there is none (9617, 15151).

    With `wait_seconds` it waits for one as long.
    """
    command = engine.commands.GetConversationGroup(
        command_id=command_id(key),
        database=engine.DatabaseName(place.database),
        queue=engine.QueueName(queue),
        transaction=transaction_id(transaction),
        waitfor_milliseconds=engine.commands.waitfor_milliseconds(wait_seconds),
    )
    ask = reply_in_time if wait_seconds else reply_to
    return ask(place, command, engine.replies.ConversationGroupFound).conversation_group_id


def messages_peek(place: DatabasePlace, *, queue: str, top: int, with_bodies: bool) -> engine.QueuePeek:
    """The first messages of a queue; nothing is taken. Without `with_bodies` no body leaves the engine."""
    return engine.peek_queue(place.estate, place.instance, place.database, queue, top, with_bodies=with_bodies)


def queue_set_status(
    place: DatabasePlace, key: UUID | None, *, queue: str, is_enabled: bool, user: User | None
) -> bool:
    """ALTER QUEUE … WITH STATUS at once, outside a revision: what is wanted stays as it is. Raises `EngineRefused`."""
    command = engine.commands.SetQueueStatus(
        command_id=command_id(key),
        database=engine.DatabaseName(place.database),
        queue=engine.QueueName(queue),
        is_enabled=is_enabled,
    )
    verb = "switch-on-queue" if is_enabled else "switch-off-queue"
    asked = Deed(
        instance=place.instance,
        database=place.database,
        kind="queue",
        name=queue,
        field="is_enabled",
        before=None,
        after=is_enabled,
    )
    return noted(
        place.estate,
        asked,
        lambda: reply_to(place, command, engine.replies.QueueStatusSet),
        lambda reply: (reply.was_enabled, reply.is_enabled),
        user=user,
        summary=saying(verb, name=queue, database=place.database, instance=place.instance),
    ).is_enabled
