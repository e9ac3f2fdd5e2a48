"""One command to each of several conversations: a result for each of them, and one row of the log for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Generic, TypeVar
from uuid import UUID

import msgspec

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.common.sayings import Saying
from brokerweb.operations.services import commands
from brokerweb.operations.services.commands import expected
from brokerweb.operations.services.noting import ENGINE_UNAVAILABLE
from brokerweb.topology.deeds import Deed, Value
from brokerweb.topology.selectors.places import DatabasePlace, database_place
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.summaries import saying
from engine import api as engine

R = TypeVar("R")
Refused = ObjectNotFound | MalformedRequest | EngineRefused
"""Why something was not done."""
Failure = Refused | engine.EngineUnavailable
"""Why something was not done, or why nobody knows whether it was."""


class Conversation(msgspec.Struct, frozen=True):
    """A side of a conversation, by its handle."""

    instance: str
    database: str
    conversation_handle: UUID


class Result(msgspec.Struct, Generic[R], frozen=True):
    """What came of one of several: a reply, or a failure."""

    conversation: Conversation
    reply: R | None = None
    failure: Failure | None = None


def command_each(
    estate: str,
    conversations: Iterable[Conversation],
    command_for: Callable[[DatabasePlace, Conversation], engine.Command],
    kind: type[R],
) -> list[Result[R]]:
    """One command for each conversation, in the order of them; those of one instance as one task of it."""
    asked = list(dict.fromkeys(conversations))
    place_of = cache(lambda instance, database: database_place(estate, instance, database))
    results: dict[Conversation, Result[R]] = {}
    by_instance: dict[str, list[tuple[Conversation, engine.Command]]] = {}
    for each in asked:
        try:
            place = place_of(each.instance, each.database)
        except ObjectNotFound as failure:
            results[each] = Result(each, failure=failure)
        else:
            by_instance.setdefault(place.instance, []).append((each, command_for(place, each)))
    for instance, wanted in by_instance.items():
        for result in _command_instance(estate, instance, wanted, kind):
            results[result.conversation] = result
    return [results[each] for each in asked]


def _command_instance(
    estate: str, instance: str, wanted: Sequence[tuple[Conversation, engine.Command]], kind: type[R]
) -> list[Result[R]]:
    try:
        replies = engine.execute(
            estate, instance, [command for _, command in wanted], timeout_seconds=commands.COMMAND_SECONDS
        )
    except engine.EngineUnavailable as failure:
        return [Result(each, failure=failure) for each, _ in wanted]
    return [_result(each, reply, kind) for (each, _), reply in zip(wanted, replies, strict=True)]


def _result(conversation: Conversation, reply: engine.Reply, kind: type[R]) -> Result[R]:
    if isinstance(reply, engine.Refusal):
        return Result(conversation, failure=EngineRefused(reply))
    try:
        return Result(conversation, reply=expected(reply, kind))
    except MalformedRequest as failure:
        return Result(conversation, failure=failure)


def results_note(
    estate: str,
    results: Sequence[Result[R]],
    deed_of: Callable[[Conversation, R], Deed],
    *,
    user: User | None,
    one: str,
    several: str,
) -> None:
    """Note what was done, and what nobody knows of, as one row of the log; nothing when all of it was refused.

    `one` and `several` name the templates of its sentence.
    """
    if all(isinstance(each.failure, Refused) for each in results):
        return
    deeds = [
        deed_of(each.conversation, each.reply) if each.reply is not None else _failed(each.conversation, each.failure)
        for each in results
    ]
    deeds_note(estate, deeds, user=user, summary=_summary(deeds, one, several))


def _summary(deeds: Sequence[Deed], one: str, several: str) -> Saying:
    if len(deeds) > 1:
        return saying(several, count=len(deeds))
    return saying(one, handle=deeds[0].name, database=deeds[0].database, instance=deeds[0].instance)


def conversation_deed(conversation: Conversation, field: str, before: Value, after: Value, is_gone: bool) -> Deed:
    """What was done to a conversation."""
    return Deed(
        instance=conversation.instance,
        database=conversation.database,
        kind="conversation",
        name=str(conversation.conversation_handle),
        field=field,
        before=before,
        after=after,
        is_gone=is_gone,
    )


def _failed(conversation: Conversation, failure: Failure | None) -> Deed:
    if isinstance(failure, EngineRefused):
        why: Value = failure.error.number
    else:
        why = failure.code if isinstance(failure, ObjectNotFound | MalformedRequest) else ENGINE_UNAVAILABLE
    return conversation_deed(conversation, "problem", None, why, False)
