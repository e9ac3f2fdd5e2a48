"""Messages that wait in transmission queues: why, a retry at once, and their bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

import msgspec
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.operations.bodies import SHOWN_BYTES_MAX, readable_body
from brokerweb.operations.services.commands import command_id
from brokerweb.operations.services.several import (
    Conversation,
    Result,
    command_each,
    conversation_deed,
    results_note,
)
from brokerweb.topology.deeds import Deed
from brokerweb.topology.private_estates import no_such_estate
from brokerweb.topology.selectors.estates import estate_progress
from brokerweb.topology.selectors.places import DatabasePlace, database_place, instance_place
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.summaries import saying
from engine import api as engine

RETRIED_MAX: Final = 200
"""Conversations that are retried by one request."""
_ROWS_MAX: Final = 1_000
"""Rows of an instance in which conversations of a group are looked for: what a picture gives at most."""
_VIEW: Final = "sys.transmission_queue"


class GroupRetried(msgspec.Struct, frozen=True):
    """What came of a retry of all that waits for one reason."""

    results: list[Result[engine.replies.TransmissionRetried]]
    left: int
    """Conversations that wait for it and were not retried, those of instances that do not answer aside."""
    silent: list[str]
    """Instances that do not answer: what waits there nobody knows."""


def transmission_explain(place: DatabasePlace, handle: UUID) -> engine.explaining.TransmissionExplanation:
    """Why a conversation's messages wait. Raises the engine's `BrokerError` (911, 8426), `EngineUnavailable`."""
    return engine.explain_transmission(place.estate, place.instance, place.database, handle)


def transmissions_retry(
    estate: str, key: UUID | None, *, user: User | None, conversations: Sequence[Conversation]
) -> list[Result[engine.replies.TransmissionRetried]]:
    """Classify what waits anew and send it now, with a result for each conversation and one row of the log."""
    first_key = command_id(key)

    def retry(place: DatabasePlace, conversation: Conversation) -> engine.commands.RetryTransmission:
        handle = conversation.conversation_handle
        return engine.commands.RetryTransmission(
            command_id=engine.CommandId(uuid5(first_key, str(handle))),
            database=engine.DatabaseName(place.database),
            conversation_handle=engine.ConversationHandle(handle),
        )

    results = command_each(estate, conversations, retry, engine.replies.TransmissionRetried)
    results_note(estate, results, _retried, user=user, one="retry-transmission", several="retry-transmissions")
    return results


def _retried(conversation: Conversation, reply: engine.replies.TransmissionRetried) -> Deed:
    return conversation_deed(conversation, "transmission_status", reply.before, reply.number, False)


def group_retry(
    estate: str,
    key: UUID | None,
    *,
    user: User | None,
    number: int | None,
    instance: str | None = None,
    database: str | None = None,
) -> GroupRetried:
    """Retry the conversations that wait for the reason with a number, those of the oldest messages first.

    None as number is what has none: not tried yet, or not acknowledged yet. With `instance`, and `database`, only those
    of it. At most `RETRIED_MAX` at a time: what goes leaves the group, so that asking again goes on. Raises
    `ObjectNotFound`, and `MalformedRequest` for a database of no instance.
    """
    found: dict[Conversation, float] = {}
    waiting, silent = 0, []
    for name in _instances(estate, instance, database):
        try:
            picture = _waiting(estate, name, number, database)
        except engine.EngineUnavailable:
            silent.append(name)
            continue
        waiting += sum(group.conversations for group in picture.groups if group.number == number)
        for conversation, since in _conversations(name, picture):
            found.setdefault(conversation, since)
    chosen = sorted(found, key=found.__getitem__)[:RETRIED_MAX]
    results = transmissions_retry(estate, key, user=user, conversations=chosen) if chosen else []
    return GroupRetried(results, max(waiting - len(chosen), 0), silent)


def _instances(estate: str, instance: str | None, database: str | None) -> list[str]:
    if instance is None:
        if database is not None:
            raise MalformedRequest(
                _("Database {database} is asked for, and not on which instance.").format(database=database),
                why=_("Several instances may have a database of that name."),
                cure=_("Give instance, too."),
                pointer="/instance",
            )
        if (progress := estate_progress(estate)) is None:
            raise no_such_estate(estate)
        return list(progress.instances)
    if database is None:
        return [instance_place(estate, instance).instance]
    return [database_place(estate, instance, database).instance]


def _waiting(
    estate: str, instance: str, number: int | None, database: str | None
) -> engine.pictures.TransmissionsPicture:
    query = engine.pictures.TransmissionsQuery(
        rows_max=_ROWS_MAX,
        numbers=(number,),
        database=None if database is None else engine.DatabaseName(database),
    )
    (picture,) = engine.read_pictures(estate, instance, [query])
    assert isinstance(picture, engine.pictures.TransmissionsPicture)
    return picture


def _conversations(
    instance: str, picture: engine.pictures.TransmissionsPicture
) -> Iterator[tuple[Conversation, float]]:
    """Conversations with something to send, by when it was enqueued; what has come for a queue that is off is not."""
    place = {column.name: position for position, column in enumerate(picture.columns)}
    for row in picture.rows:
        if row.cells[place["awaits_queue"]] is None:
            database = str(row.cells[place["database_name"]])
            handle = UUID(str(row.cells[place["conversation_handle"]]))
            since = row.cells[place["enqueue_time"]]
            yield Conversation(instance, database, handle), float(since) if since is not None else 0.0


def transmission_body_read(
    place: DatabasePlace, handle: UUID, number: int, to_service: str, *, user: User | None
) -> dict[str, Any]:
    """The body of a message that waits, as text and in hexadecimal, `SHOWN_BYTES_MAX` of it; the log notes who reads.

    `to_service` tells what is sent from what has come for a queue that is off. Raises `ObjectNotFound` when it does not
    wait any more, the engine's `BrokerError`, `EngineUnavailable`.
    """
    body = _body(place, handle, number, to_service)
    text, encoding = readable_body(body or b"")
    shown = min(len(body or b""), SHOWN_BYTES_MAX)
    deed = Deed(
        instance=place.instance,
        database=place.database,
        kind="conversation",
        name=str(handle),
        field="message_body",
        before=None,
        after=f"{shown} / {len(body or b'')}",
    )
    parameters = {"number": number, "handle": str(handle), "database": place.database, "instance": place.instance}
    deeds_note(place.estate, [deed], user=user, summary=saying("read-body", **parameters))
    return {
        "has_body": body is not None,
        "whole_bytes": len(body or b""),
        "shown_bytes": shown,
        "limit_bytes": SHOWN_BYTES_MAX,
        "text": None if encoding == "hex" else text,
        "encoding": None if encoding == "hex" else encoding,
        "hexadecimal": (body or b"")[:shown].hex(),
    }


def _body(place: DatabasePlace, handle: UUID, number: int, to_service: str) -> bytes | None:
    offset: int | None = 0
    while offset is not None:
        query = engine.SystemViewQuery(
            database=engine.DatabaseName(place.database),
            view=_VIEW,
            columns=("message_body",),
            filters=tuple(
                engine.ColumnFilter(column=column, value=value)
                for column, value in (
                    ("conversation_handle", str(handle)),
                    ("message_sequence_number", str(number)),
                    ("to_service_name", to_service),
                )
            ),
            offset=offset,
            rows_max=1,
        )
        page = engine.read_system_view(place.estate, place.instance, query)
        if page.rows:
            (body,) = page.rows[0]
            return body if isinstance(body, bytes) else None
        offset = page.next_offset
    raise ObjectNotFound(
        _("Message {number} of conversation {handle} does not wait in {database} any more.").format(
            number=number, handle=handle, database=place.database
        ),
        why=_("It has been acknowledged, its conversation has ended, or it never was there."),
        cure=_("Look for it in the queue of the service that it was sent to."),
    )
