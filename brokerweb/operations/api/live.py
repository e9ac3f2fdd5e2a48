"""What operators do about conversations that they see in the live views: explain, retry, end, read a body."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from brokerweb.accounts.api import operating, reading_payloads, viewing
from brokerweb.common.api.errors import problem_of
from brokerweb.common.api.names import DATABASE, ESTATE
from brokerweb.common.languages import asked_language, sentence
from brokerweb.operations.api.headers import IdempotencyKey
from brokerweb.operations.api.live_schemas import (
    BodyAsked,
    ConversationNamed,
    ConversationsEnd,
    ConversationsEnded,
    GroupRetried,
    GroupRetry,
    TransmissionBody,
    TransmissionExplained,
    TransmissionsRetried,
    TransmissionsRetry,
)
from brokerweb.operations.services import transmissions
from brokerweb.operations.services.conversations import conversations_end
from brokerweb.operations.services.several import Conversation, Result
from brokerweb.topology.selectors.places import database_place
from engine import api as engine

router = Router(tags=["operations"])


@router.get(
    DATABASE + "/conversations/{guid:handle}/transmission",
    response={200: TransmissionExplained},
    operation_id="transmission_explain",
    auth=viewing,
)
def transmission_explain(
    request: HttpRequest, estate: str, instance: str, database: str, handle: UUID
) -> dict[str, Any]:
    """Why messages of a conversation wait: the decision when they were sent, the one now, what a retry would do."""
    found = transmissions.transmission_explain(database_place(estate, instance, database), handle)
    told = engine.what_if.with_proofs(found, asked_language())
    return {
        "at": _instant(told.at),
        "conversation_handle": told.conversation_handle,
        "state": told.state.value,
        "from_service": told.from_service,
        "to_service": told.to_service,
        "waiting": told.waiting,
        "oldest": _instant(told.oldest),
        "number": told.number,
        "text": sentence(told.text),
        "then": None if told.then is None else _decision(told.then),
        "waits_since": _instant(told.waits_since),
        "now": _decision(told.now),
        "is_same": told.is_same,
        "retry": {
            "end": told.retry.end.value,
            "number": told.retry.number,
            "text": sentence(told.retry.text),
            "address": told.retry.address,
            "database": told.retry.database,
            "connects_at": _instant(told.retry.connects_at),
            "retries_at": _instant(told.retry.retries_at),
        },
    }


@router.post(
    ESTATE + "/transmissions/retry",
    response={200: TransmissionsRetried},
    operation_id="transmissions_retry",
    auth=operating,
)
def transmissions_retry(
    request: HttpRequest, estate: str, body: TransmissionsRetry, idempotency_key: UUID | None = IdempotencyKey
) -> dict[str, Any]:
    """Decide anew where messages of these conversations go, and send them now rather than at their next deadline."""
    results = transmissions.transmissions_retry(
        estate, idempotency_key, user=request.auth, conversations=_named(body.conversations)
    )
    return {"results": [_retried(each) for each in results]}


@router.post(
    ESTATE + "/transmissions/retry-group",
    response={200: GroupRetried},
    operation_id="transmission_group_retry",
    auth=operating,
)
def transmission_group_retry(
    request: HttpRequest, estate: str, body: GroupRetry, idempotency_key: UUID | None = IdempotencyKey
) -> dict[str, Any]:
    """The same for conversations that wait for one reason, at most 200 of them, the oldest first."""
    done = transmissions.group_retry(estate, idempotency_key, user=request.auth, **body.dict())
    return {"results": [_retried(each) for each in done.results], "left": done.left, "silent": done.silent}


@router.post(
    ESTATE + "/conversations/end",
    response={200: ConversationsEnded},
    operation_id="conversations_end",
    auth=operating,
)
def conversations_end_(
    request: HttpRequest, estate: str, body: ConversationsEnd, idempotency_key: UUID | None = IdempotencyKey
) -> dict[str, Any]:
    """END CONVERSATION for each, with a result for each: one that is refused keeps no other from being ended."""
    results = conversations_end(
        estate,
        idempotency_key,
        user=request.auth,
        conversations=_named(body.conversations),
        with_cleanup=body.with_cleanup,
    )
    return {
        "results": [
            {
                **_conversation(each),
                "before": _state(None if each.reply is None else each.reply.before),
                "state": _state(None if each.reply is None else each.reply.state),
            }
            for each in results
        ]
    }


@router.post(
    DATABASE + "/conversations/{guid:handle}/transmission/body",
    response={200: TransmissionBody},
    operation_id="transmission_body_read",
    auth=reading_payloads,
)
def transmission_body_read(
    request: HttpRequest, estate: str, instance: str, database: str, handle: UUID, body: BodyAsked
) -> dict[str, Any]:
    """The body of a message that waits, at most 64 KiB of it, as text and hexadecimal. The log notes who reads it."""
    return transmissions.transmission_body_read(
        database_place(estate, instance, database),
        handle,
        body.message_sequence_number,
        body.to_service_name,
        user=request.auth,
    )


def _named(conversations: list[ConversationNamed]) -> list[Conversation]:
    return [Conversation(each.instance, each.database, each.conversation_handle) for each in conversations]


def _conversation(result: Result[Any]) -> dict[str, Any]:
    asked = result.conversation
    return {
        "instance": asked.instance,
        "database": asked.database,
        "conversation_handle": asked.conversation_handle,
        "problem": None if result.failure is None else problem_of(result.failure),
    }


def _retried(result: Result[engine.replies.TransmissionRetried]) -> dict[str, Any]:
    reply = result.reply
    return {
        **_conversation(result),
        "before": None if reply is None else reply.before,
        "waiting": None if reply is None else reply.waiting,
        "number": None if reply is None else reply.number,
        "text": "" if reply is None else sentence(reply.text),
    }


def _state(state: engine.ConversationState | None) -> str | None:
    return None if state is None else state.value


def _decision(told: engine.explaining.ToldDecision) -> dict[str, Any]:
    decision = told.decision
    return {
        "classification": decision.classification.value,
        "table": decision.table,
        "route": None if decision.route is None else decision.route.name,
        "address": None if decision.address is None else str(decision.address),
        "database": decision.database,
        "status": decision.status,
        "proof": told.proof,
    }


def _instant(at: float | None) -> datetime | None:
    return None if at is None else datetime.fromtimestamp(at, UTC)
