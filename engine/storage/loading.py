"""The rows of an instance's file, piece by piece: starting takes memory for what is needed, not for all there is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, Final
from uuid import UUID

import apsw

from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, QueueName
from engine.core.vocabulary.limits import MESSAGES_READ_AT_ONCE
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    DatabaseRows,
    DepartedSession,
    QueueRow,
    TransmissionRow,
    TransmissionSpan,
)
from engine.storage.portions import at_places, numbered_from, portion
from engine.storage.queue_spans import PLACES_AT_ONCE, spans_of
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION, id_bytes
from engine.storage.schema import PLAIN

ENDPOINTS_AT_ONCE: Final = 5_000
"""Conversations of one piece."""

MESSAGES_AT_ONCE: Final = 1_000
"""Messages of queues of one piece, for an instance that leaves behind what it has no room for."""

_ENDPOINTS: Final = (
    f"SELECT rowid, {ENDPOINTS.columns} FROM conversation_endpoints"  # noqa: S608
    " WHERE rowid > ? ORDER BY rowid LIMIT ?"
)

_WAITING: Final = (
    f"SELECT {TRANSMISSION.columns} FROM conversation_endpoints"  # noqa: S608
    " CROSS JOIN transmission_queue USING (conversation_handle, database_name)"
    " WHERE conversation_endpoints.rowid > ? AND conversation_endpoints.rowid <= ?"
    " ORDER BY conversation_endpoints.rowid, message_sequence_number"
)
"""CROSS keeps the order of the tables: one look into the index for each conversation of the piece."""

_WITHOUT_ENDPOINT: Final = (
    f"SELECT {TRANSMISSION.columns} FROM transmission_queue WHERE NOT EXISTS ("  # noqa: S608
    "SELECT 1 FROM conversation_endpoints AS own WHERE own.conversation_handle ="
    " transmission_queue.conversation_handle AND own.database_name = transmission_queue.database_name)"
)


_SPANS: Final = """
SELECT database_name, conversation_handle,
    (SELECT min(message_sequence_number) FROM transmission_queue AS waiting
        WHERE waiting.conversation_handle = own.conversation_handle AND waiting.database_name = own.database_name),
    (SELECT max(message_sequence_number) FROM transmission_queue AS waiting
        WHERE waiting.conversation_handle = own.conversation_handle AND waiting.database_name = own.database_name),
    (SELECT enqueue_time FROM transmission_queue AS waiting
        WHERE waiting.conversation_handle = own.conversation_handle AND waiting.database_name = own.database_name
        ORDER BY message_sequence_number LIMIT 1)
FROM conversation_endpoints AS own WHERE rowid > ? AND rowid <= ?
    AND EXISTS (SELECT 1 FROM transmission_queue AS waiting
        WHERE waiting.conversation_handle = own.conversation_handle AND waiting.database_name = own.database_name)
"""
"""Numbers have no holes, so that the index alone tells of each conversation how much waits, at either end of it."""

_TRANSMISSION: Final = (
    f"SELECT {TRANSMISSION.columns} FROM transmission_queue"  # noqa: S608
    " WHERE conversation_handle = ? AND database_name = ? AND message_sequence_number >= ?"
    " ORDER BY message_sequence_number LIMIT ?"
)

_NEXT_DATABASE: Final = (
    "SELECT min(database_name) FROM queue_messages INDEXED BY queue_messages_plain"  # noqa: S608
    f" WHERE database_name > ? AND {PLAIN}"
)

_PLAIN_MESSAGES: Final = (
    "SELECT queuing_order, message_sequence_number, conversation_handle,"  # noqa: S608
    " queue_name, priority, conversation_group_id"
    f" FROM queue_messages INDEXED BY queue_messages_plain WHERE database_name = ? AND {PLAIN} ORDER BY queuing_order"
)
"""Answered by the index alone."""

_OTHER_MESSAGES: Final = (
    f"SELECT {QUEUES.columns} FROM queue_messages INDEXED BY queue_messages_others WHERE NOT ({PLAIN})"  # noqa: S608
    " ORDER BY database_name, queuing_order"
)

_MESSAGES: Final = (
    f"SELECT {QUEUES.columns} FROM json_each(?) AS asked"  # noqa: S608
    " CROSS JOIN queue_messages ON queuing_order = asked.value AND database_name = ?"
)
"""One statement for all of them takes a third of the time of one for each. CROSS keeps the order asked for."""


def read_databases(
    connection: apsw.Connection, names: Collection[DatabaseName], *, in_spans: bool
) -> Iterator[DatabaseRows]:
    """Every database, the named ones first unless in spans: its queues, then its conversations, each in several pieces.

    The file must not change meanwhile. Raises `msgspec.ValidationError` for a row that cannot be.
    """
    if in_spans:
        yield from _queues_in_spans(connection)
        yield from _queues(connection, names, _OTHER_MESSAGES, MESSAGES_AT_ONCE)
        yield from _conversations_in_spans(connection)
    else:
        yield from _queues(connection, names, QUEUES.select, None)
        yield from _conversations(connection)


def read_transmission(
    connection: apsw.Connection, database: DatabaseName, handle: ConversationHandle, first: int
) -> Sequence[TransmissionRow]:
    """What waits on a conversation from a number on, as many as are read at once."""
    cursor = connection.execute(_TRANSMISSION, (id_bytes(handle), database, first, MESSAGES_READ_AT_ONCE))
    try:
        return numbered_from(first, portion(map(TRANSMISSION.parse_row, cursor)))
    finally:
        # An open statement would hold up the folding of the log.
        cursor.close()


def read_messages(connection: apsw.Connection, database: DatabaseName, orders: Sequence[int]) -> Sequence[QueueRow]:
    """Messages at places of queues, as many as are read at once."""
    cursor = connection.execute(_MESSAGES, (f"[{','.join(map(str, orders))}]", database))
    try:
        return at_places(orders, portion(map(QUEUES.parse_row, cursor)))
    finally:
        cursor.close()


def _conversations_in_spans(connection: apsw.Connection) -> Iterator[DatabaseRows]:
    any_waits = connection.execute("SELECT EXISTS (SELECT 1 FROM transmission_queue)").get
    after = 0
    records: list[Any]
    while records := connection.execute(_ENDPOINTS, (after, ENDPOINTS_AT_ONCE)).fetchall():
        last: Any = records[-1][0]
        spans: dict[str, list[TransmissionSpan]] = {}
        for database, handle, *rest in connection.execute(_SPANS, (after, last)) if any_waits else ():
            spans.setdefault(str(database), []).append(_span(handle, *rest))
        for piece in _pieces(records, []):
            piece.spans = spans.get(piece.name, [])
            yield piece
        after = int(last)


def _span(handle: Any, first: Any, last: Any, since: Any) -> TransmissionSpan:
    return TransmissionSpan(ConversationHandle(UUID(bytes=handle)), int(first), int(last) + 1, UtcTime(since))


def _conversations(connection: apsw.Connection) -> Iterator[DatabaseRows]:
    count: Any = connection.execute("SELECT count(*) FROM transmission_queue").get
    waiting = int(count)
    after = 0
    records: list[Any]
    while records := connection.execute(_ENDPOINTS, (after, ENDPOINTS_AT_ONCE)).fetchall():
        last: Any = records[-1][0]
        found = connection.execute(_WAITING, (after, last)).fetchall() if waiting else []
        waiting -= len(found)
        yield from _pieces(records, found)
        after = int(last)
    if waiting:
        yield from _pieces([], connection.execute(_WITHOUT_ENDPOINT).fetchall())


def _queues_in_spans(connection: apsw.Connection) -> Iterator[DatabaseRows]:
    database: Any = ""
    while (database := connection.execute(_NEXT_DATABASE, (database,)).get) is not None:
        found: Iterator[Any] = connection.execute(_PLAIN_MESSAGES, (database,))
        while spans := spans_of(islice(found, PLACES_AT_ONCE)):
            yield DatabaseRows(name=DatabaseName(database), queue_spans=spans)


def _queues(
    connection: apsw.Connection, names: Collection[DatabaseName], query: str, at_once: int | None
) -> Iterator[DatabaseRows]:
    """Messages of queues, so many a piece, or all; with the first of them the keys of what is gone, which are few."""
    departed: dict[DatabaseName, list[DepartedSession]] = {name: [] for name in names}
    for (database,), session in DEPARTED.read(connection):
        departed.setdefault(DatabaseName(database), []).append(session)
    found = map(QUEUES.parse, connection.execute(query))
    messages = list(islice(found, at_once))
    while messages or departed:
        queues: dict[DatabaseName, dict[QueueName, list[QueueRow]]] = {}
        for (database, queue), message in messages:
            queues.setdefault(DatabaseName(database), {}).setdefault(QueueName(queue), []).append(message)
        for name in dict.fromkeys((*departed, *queues)):
            yield DatabaseRows(name=name, queues=queues.get(name, {}), departed=departed.get(name, []))
        departed = {}
        messages = list(islice(found, at_once))


def _pieces(endpoints: list[Any], waiting: list[Any]) -> Iterator[DatabaseRows]:
    """Conversations that follow each other in the file and what waits on them, by database."""
    messages: dict[str, list[TransmissionRow]] = {}
    for (database,), message in map(TRANSMISSION.parse, waiting):
        messages.setdefault(database, []).append(message)
    parsed = (ENDPOINTS.parse(record[1:]) for record in endpoints)
    rows: dict[str, list[ConversationEndpoint]] = {
        database: [row for _, row in run] for (database,), run in groupby(sorted(parsed, key=_owner), key=_owner)
    }
    for database in dict.fromkeys((*rows, *messages)):
        yield DatabaseRows(
            name=DatabaseName(database), endpoints=rows.get(database, []), transmission=messages.get(database, [])
        )


def _owner(parsed: tuple[tuple[str, ...], ConversationEndpoint]) -> tuple[str, ...]:
    return parsed[0]
