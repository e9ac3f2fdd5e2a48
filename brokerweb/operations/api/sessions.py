"""What several statements have in common, and statements about groups, timers and the switch of a queue."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Status

from brokerweb.accounts.api import operating
from brokerweb.common.api.names import DATABASE, INSTANCE
from brokerweb.operations.api.headers import IdempotencyKey
from brokerweb.operations.api.schemas import (
    ConversationGroupFound,
    ConversationGroupGet,
    ConversationMove,
    ConversationMoved,
    QueueStatusIn,
    QueueStatusSet,
    TimerBegin,
    TimerSet,
    TransactionBegun,
    TransactionEnded,
)
from brokerweb.operations.services import conversations, queues, sessions
from brokerweb.topology.selectors.places import database_place, instance_place

router = Router(tags=["console"], auth=operating)


@router.post(INSTANCE + "/transactions", response={201: TransactionBegun}, operation_id="transaction_begin")
def transaction_begin(
    request: HttpRequest, estate: str, instance: str, idempotency_key: UUID | None = IdempotencyKey
) -> Status:
    """BEGIN TRANSACTION. Its statements lock conversation groups and count when it is committed."""
    transaction = sessions.transaction_begin(instance_place(estate, instance), idempotency_key)
    return Status(201, TransactionBegun(transaction=transaction))


@router.post(
    INSTANCE + "/transactions/{guid:transaction}/commit",
    response={200: TransactionEnded},
    operation_id="transaction_commit",
)
def transaction_commit(
    request: HttpRequest, estate: str, instance: str, transaction: UUID, idempotency_key: UUID | None = IdempotencyKey
) -> TransactionEnded:
    """COMMIT TRANSACTION: everything it holds back happens now, in order."""
    place = instance_place(estate, instance)
    done = sessions.transaction_end(place, idempotency_key, transaction=transaction, commits=True)
    return TransactionEnded(is_committed=done)


@router.post(
    INSTANCE + "/transactions/{guid:transaction}/rollback",
    response={200: TransactionEnded},
    operation_id="transaction_rollback",
)
def transaction_rollback(
    request: HttpRequest, estate: str, instance: str, transaction: UUID, idempotency_key: UUID | None = IdempotencyKey
) -> TransactionEnded:
    """ROLLBACK TRANSACTION: nothing of it has happened. The fifth in a row that received switches the queue off."""
    place = instance_place(estate, instance)
    done = sessions.transaction_end(place, idempotency_key, transaction=transaction, commits=False)
    return TransactionEnded(is_committed=done)


@router.post(
    DATABASE + "/conversations/{guid:handle}/move",
    response={200: ConversationMoved},
    operation_id="conversation_move",
)
def conversation_move(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    handle: UUID,
    body: ConversationMove,
    idempotency_key: UUID | None = IdempotencyKey,
) -> ConversationMoved:
    """MOVE CONVERSATION: its messages in the queue go along."""
    place = database_place(estate, instance, database)
    reply = conversations.conversation_move(place, idempotency_key, handle=handle, **body.dict())
    return ConversationMoved(conversation_group_id=reply.conversation_group_id)


@router.post(
    DATABASE + "/conversations/{guid:handle}/timer",
    response={200: TimerSet},
    operation_id="conversation_timer_begin",
)
def conversation_timer_begin(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    handle: UUID,
    body: TimerBegin,
    idempotency_key: UUID | None = IdempotencyKey,
) -> TimerSet:
    """BEGIN CONVERSATION TIMER: a DialogTimer message comes into this side's own queue."""
    place = database_place(estate, instance, database)
    reply = conversations.timer_begin(place, idempotency_key, handle=handle, **body.dict())
    return TimerSet(dialog_timer=datetime.fromtimestamp(reply.dialog_timer, UTC))


@router.post(
    DATABASE + "/queues/{name:queue}/conversation-group",
    response={200: ConversationGroupFound},
    operation_id="conversation_group_get",
)
def conversation_group_get(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    queue: str,
    body: ConversationGroupGet,
    idempotency_key: UUID | None = IdempotencyKey,
) -> ConversationGroupFound:
    """GET CONVERSATION GROUP: the one that the next RECEIVE would read, which may be waited for."""
    place = database_place(estate, instance, database)
    group = queues.conversation_group_get(place, idempotency_key, queue=queue, **body.dict())
    return ConversationGroupFound(conversation_group_id=group)


@router.post(
    DATABASE + "/queues/{name:queue}/status",
    response={200: QueueStatusSet},
    operation_id="queue_set_status",
)
def queue_set_status(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    queue: str,
    body: QueueStatusIn,
    idempotency_key: UUID | None = IdempotencyKey,
) -> QueueStatusSet:
    """ALTER QUEUE … WITH STATUS, at once: what is wanted stays as it is. For a queue that poison messages stopped."""
    place = database_place(estate, instance, database)
    is_enabled = queues.queue_set_status(
        place, idempotency_key, queue=queue, is_enabled=body.is_enabled, user=request.auth
    )
    return QueueStatusSet(is_enabled=is_enabled)
