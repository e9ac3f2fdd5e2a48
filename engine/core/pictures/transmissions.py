"""Pictures of transmission queues: exact sums by reason, and the rows that wait longest (views.md 1, 3)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from math import floor
from typing import Final

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.pictures import (
    PictureRow,
    TransmissionGroup,
    TransmissionLeft,
    TransmissionsPicture,
    TransmissionsQuery,
    Unchanged,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.transmission_tally import WaitingGroup
from engine.core.handlers.views import QUEUE_OFF
from engine.core.pictures.asked import Asked
from engine.core.pictures.table import rows_max_of, table
from engine.core.system_views.conversation_views import TRANSMISSION_QUEUE, WaitingMessage, arrival, waiting_rows
from engine.core.system_views.definition import NULL, Column
from engine.core.transmission.waiting_line import EndpointKey
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, QueueName
from engine.core.vocabulary.limits import PICTURE_EXAMINED_MAX
from engine.core.vocabulary.moment import UtcTime

_Row = tuple[DatabaseName, WaitingMessage]
_Candidate = tuple[UtcTime, int, int, DatabaseName, WaitingMessage]
"""Ordered by time, then by conversation and number."""

_TABLE: Final = table(
    TRANSMISSION_QUEUE,
    Column[WaitingMessage]("message_body_bytes", "bigint", "size of the body", lambda _, each: each.body_bytes),
    Column[WaitingMessage](
        "transmission_status_number", "int", "number of the reason", lambda _, each: each.status_number, NULL
    ),
    Column[WaitingMessage](
        "awaits_queue", "sysname", "came for this queue, which is off", lambda _, each: each.queue, NULL
    ),
    first=(Column[WaitingMessage]("database_name", "sysname", "database", lambda reader, _: reader.database.name),),
    without=frozenset({"message_body"}),
)


def transmissions_picture(asked: Asked, query: TransmissionsQuery) -> TransmissionsPicture | Unchanged:
    """What waits in a database or in all, the oldest first, or what of it has changed since; 911, 10744."""
    rows_max = rows_max_of(query.rows_max)
    databases = asked.databases(query.database)
    touched = asked.since(query, lambda journal, since: journal.transmissions(since, rows_max))
    if touched is not None and not touched:
        return asked.unchanged()
    groups = groups_of(asked.broker, databases)
    found, has_more = None, False
    if touched is not None:
        found = _rows_of(asked, query, touched, databases, rows_max)
    is_whole = found is None
    if found is None:
        found, has_more = _first_rows(asked, query, databases, rows_max)
    total = _total(query, groups)
    return TransmissionsPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=is_whole,
        columns=_TABLE.columns if is_whole else (),
        rows=tuple(_row(asked, name, each) for name, each in found),
        cleared=() if is_whole or touched is None else tuple(f"{key[1]} {key[0]}" for key in touched),
        has_more=has_more if total is None else total > rows_max,
        total=total,
        groups=tuple(sorted(groups, key=lambda group: -group.messages)),
        left=_left(asked.broker, databases),
        started_at=asked.broker.counters.started_at,
    )


# ── sums ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def groups_of(broker: Broker, databases: Iterable[DatabaseName]) -> list[TransmissionGroup]:
    """What waits, by database and reason."""
    tally = broker.transmission_tally()
    found: dict[tuple[DatabaseName, int | None], TransmissionGroup] = {}
    for name in databases:
        for waiting in tally.groups(name):
            place, group = waiting.key[:2], _group(waiting)
            found[place] = group if (own := found.get(place)) is None else _together(own, group)
        off = _off_group(broker, name)
        if off is not None:
            own = found.get((name, QUEUE_OFF))
            found[name, QUEUE_OFF] = off if own is None else _together(own, off)
    return list(found.values())


def _group(waiting: WaitingGroup) -> TransmissionGroup:
    database, number, _ = waiting.key
    oldest = waiting.oldest()
    return TransmissionGroup(
        database=database,
        number=number,
        messages=waiting.messages,
        conversations=waiting.conversations,
        oldest=waiting.since(),
        text=oldest.status.text,
    )


def _off_group(broker: Broker, database: DatabaseName) -> TransmissionGroup | None:
    """What has come for queues that are off (protocol.md 4)."""
    queues = [
        (name, messages)
        for name in broker.catalog.databases[database].queues
        if (messages := broker.queue(database, name)).awaiting
    ]
    if not queues:
        return None
    firsts = [(next(messages.waiting()).message_enqueue_time, name) for name, messages in queues]
    oldest, name = min(firsts)
    return TransmissionGroup(
        database=database,
        number=QUEUE_OFF,
        messages=sum(messages.awaiting for _, messages in queues),
        conversations=sum(messages.awaiting_places.conversations for _, messages in queues),
        oldest=oldest,
        text=status_text(QUEUE_OFF, queue=name),
    )


def _left(broker: Broker, databases: Iterable[DatabaseName]) -> tuple[TransmissionLeft, ...]:
    """Whole seconds: what is acknowledged all the time need not be told anew each time."""
    known = broker.counters.transmission_left
    return tuple(TransmissionLeft(database=name, at=UtcTime(floor(known[name]))) for name in databases if name in known)


def _together(one: TransmissionGroup, other: TransmissionGroup) -> TransmissionGroup:
    older = min(one, other, key=lambda group: group.oldest)
    return TransmissionGroup(
        database=one.database,
        number=one.number,
        messages=one.messages + other.messages,
        conversations=one.conversations + other.conversations,
        oldest=older.oldest,
        text=older.text,
    )


def _total(query: TransmissionsQuery, groups: Iterable[TransmissionGroup]) -> int | None:
    """How many rows pass, where the sums tell."""
    services = query.from_service is not None or query.to_service is not None
    if services or query.text or query.conversation_handle is not None:
        return None
    return sum(group.messages for group in groups if not query.numbers or group.number in query.numbers)


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def _admits(query: TransmissionsQuery, each: WaitingMessage) -> bool:
    text = query.text.casefold()
    return (
        (not query.numbers or each.status_number in query.numbers)
        and query.from_service in (None, each.from_service)
        and query.to_service in (None, each.to_service)
        and query.conversation_handle in (None, each.conversation_handle)
        and (not text or any(text in str(part).casefold() for part in _searched(each)))
    )


def _searched(each: WaitingMessage) -> tuple[object, ...]:
    names = (each.from_service or "", each.to_service, each.contract, each.message_type or "")
    return (*names, each.conversation_handle, each.status)


def _first_rows(
    asked: Asked, query: TransmissionsQuery, databases: list[DatabaseName], rows_max: int
) -> tuple[list[_Row], bool]:
    """The rows that wait longest and pass, and whether there may be more."""
    if query.conversation_handle is not None:
        handle = query.conversation_handle
        candidates = heapq.merge(*(_of_conversation(asked, (name, handle)) for name in databases))
    else:
        candidates = heapq.merge(
            _sent(asked, databases, query.numbers), *(_awaiting(asked, name) for name in databases)
        )
    found: list[_Row] = []
    for examined, (_, _, _, database, each) in enumerate(candidates):
        if len(found) >= rows_max or examined >= PICTURE_EXAMINED_MAX:
            return found, True
        if _admits(query, each):
            found.append((database, each))
    return found, False


def _rows_of(
    asked: Asked,
    query: TransmissionsQuery,
    touched: Iterable[EndpointKey],
    databases: list[DatabaseName],
    rows_max: int,
) -> list[_Row] | None:
    """All rows of some conversations that pass; None when they are too many to be told as a change."""
    found: list[_Row] = []
    for key in touched:
        if key[0] not in databases:
            continue
        for examined, (_, _, _, database, each) in enumerate(_of_conversation(asked, key)):
            if examined >= rows_max or len(found) > rows_max:
                return None
            if _admits(query, each):
                found.append((database, each))
    return found


def _sent(asked: Asked, databases: list[DatabaseName], numbers: tuple[int | None, ...]) -> Iterator[_Candidate]:
    """What endpoints have to send, merged by time: no more conversations are looked at than it takes."""
    tally = asked.broker.transmission_tally()
    groups = [group for name in databases for group in tally.groups(name) if not numbers or group.key[1] in numbers]
    conversations = heapq.merge(*(group.in_order() for group in groups))
    following = next(conversations, None)
    open_rows: list[tuple[_Candidate, int, Iterator[_Candidate]]] = []
    while following is not None or open_rows:
        if following is not None and (not open_rows or following[:2] <= open_rows[0][0][:2]):
            _, serial, endpoint = following
            rows = _candidates(endpoint)
            heapq.heappush(open_rows, (next(rows), serial, rows))
            following = next(conversations, None)
            continue
        first, serial, rows = open_rows[0]
        yield first
        later = next(rows, None)
        if later is None:
            heapq.heappop(open_rows)
        else:
            heapq.heapreplace(open_rows, (later, serial, rows))


def _candidates(endpoint: DialogEndpoint) -> Iterator[_Candidate]:
    for row in waiting_rows(endpoint, endpoint.sender.rows()):
        yield row.enqueue_time, endpoint.serial, row.number, endpoint.database, row


def _awaiting(asked: Asked, database: DatabaseName) -> Iterator[_Candidate]:
    """What has come for queues of a database that are off, the oldest first."""
    queues = asked.broker.catalog.databases[database].queues
    return heapq.merge(*(_awaiting_in(asked, database, name) for name in queues))


def _awaiting_in(asked: Asked, database: DatabaseName, name: QueueName) -> Iterator[_Candidate]:
    for row in asked.broker.queue(database, name).waiting():
        message = arrival(asked.readers[database], name, row)
        yield row.message_enqueue_time, 0, row.queuing_order, database, message


def _of_conversation(asked: Asked, key: EndpointKey) -> Iterator[_Candidate]:
    """Every row of one conversation, its own ones first."""
    database, handle = key
    endpoint = asked.broker.conversations.look_at(key)
    if endpoint is None:
        return
    yield from _candidates(endpoint)
    name, queue = asked.broker.queue_of(endpoint)
    if queue.awaiting:
        reader = asked.readers[database]
        for each in queue.rows_at(queue.awaiting_places.of(handle)):
            yield each.message_enqueue_time, 0, each.queuing_order, database, arrival(reader, name, each)


def _row(asked: Asked, database: DatabaseName, each: WaitingMessage) -> PictureRow:
    place = str(each.number) if each.queue is None else f"q{each.place}"
    return _TABLE.row(f"{place} {_owner(each.conversation_handle, database)}", asked.readers[database], each)


def _owner(handle: ConversationHandle, database: DatabaseName) -> str:
    return f"{handle} {database}"
