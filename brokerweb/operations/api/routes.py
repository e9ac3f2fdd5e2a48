"""Dialogs and queues of the console; each operation is one command or one look, through `operations.services`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Status

from brokerweb.accounts.api import operating, viewing
from brokerweb.common.api.names import DATABASE
from brokerweb.operations.api.headers import IdempotencyKey
from brokerweb.operations.api.schemas import (
    ConversationBegin,
    ConversationBegun,
    ConversationEnd,
    ConversationEnded,
    MessagesPeeked,
    MessagesReceived,
    MessagesSend,
    MessagesSent,
    QueueMessage,
    ReceiveIn,
)
from brokerweb.operations.bodies import readable_message
from brokerweb.operations.services import conversations, queues
from brokerweb.topology.private_estates import may_read_bodies
from brokerweb.topology.selectors.places import database_place
from engine import api as engine

router = Router(tags=["console"], auth=operating)


@router.post(DATABASE + "/conversations", response={201: ConversationBegun}, operation_id="conversation_begin")
def conversation_begin(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    body: ConversationBegin,
    idempotency_key: UUID | None = IdempotencyKey,
) -> Status:
    """BEGIN DIALOG. Nothing travels yet."""
    place = database_place(estate, instance, database)
    return Status(201, conversations.conversation_begin(place, idempotency_key, **body.dict()))


@router.post(
    DATABASE + "/conversations/{guid:handle}/messages",
    response={201: MessagesSent},
    operation_id="messages_send",
)
def messages_send(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    handle: UUID,
    body: MessagesSend,
    idempotency_key: UUID | None = IdempotencyKey,
) -> Status:
    """SEND one or many messages; they are numbered and stored when this answers."""
    place = database_place(estate, instance, database)
    return Status(201, conversations.messages_send(place, idempotency_key, handle=handle, **body.dict()))


@router.post(
    DATABASE + "/conversations/{guid:handle}/end",
    response={200: ConversationEnded},
    operation_id="conversation_end",
)
def conversation_end(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    handle: UUID,
    body: ConversationEnd,
    idempotency_key: UUID | None = IdempotencyKey,
) -> engine.ConversationEnded:
    """END CONVERSATION on this side."""
    place = database_place(estate, instance, database)
    return conversations.conversation_end(place, idempotency_key, handle=handle, user=request.auth, **body.dict())


@router.post(
    DATABASE + "/queues/{name:queue}/receive",
    response={200: MessagesReceived},
    operation_id="messages_receive",
)
def messages_receive(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    queue: str,
    body: ReceiveIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> MessagesReceived:
    """RECEIVE: messages of one conversation group, taken from the queue for good; it may wait for them.

    A browser that leaves while it waits has taken nothing. Bodies are withheld from who may not read payloads, and
    then nobody has read them.
    """
    place = database_place(estate, instance, database)
    rows = queues.messages_receive(place, idempotency_key, queue=queue, **body.dict())
    return MessagesReceived(messages=_readable(rows, may_read_bodies(estate, request.auth)))


@router.get(
    DATABASE + "/queues/{name:queue}/messages",
    response={200: MessagesPeeked},
    operation_id="messages_peek",
    auth=viewing,
)
def messages_peek(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    queue: str,
    top: int = Query(50, ge=1, le=1000),
) -> MessagesPeeked:
    """Look into a queue without taking anything. Bodies are withheld from who may not read payloads.

    The others are shown 64 KiB of each body, and 4 MiB of all.
    """
    shows_body = may_read_bodies(estate, request.auth)
    place = database_place(estate, instance, database)
    peek = queues.messages_peek(place, queue=queue, top=top, with_bodies=shows_body)
    return MessagesPeeked(messages=_readable(peek.messages, shows_body, peek.body_bytes), total=peek.total)


def _readable(rows: Sequence[engine.QueueRow], shows_body: bool, sizes: Sequence[int] = ()) -> list[QueueMessage]:
    return [
        QueueMessage(**readable_message(row, shows_body=shows_body, size=size))
        for row, size in zip_longest(rows, sizes)
    ]
