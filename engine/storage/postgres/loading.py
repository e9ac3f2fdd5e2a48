"""The rows of an instance's schema, page by page: starting takes memory for what is needed, not for all there is.

Pages follow each other by key rather than by a cursor: nothing stays open on the server while the caller works with a
page, so that no time limit for idle transactions can end the loading of a large instance.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from sys import byteorder
from typing import Any, Final
from uuid import UUID

from psycopg.types.numeric import Int8

from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, QueueName
from engine.core.vocabulary.limits import MESSAGES_READ_AT_ONCE, MESSAGES_READ_BYTES
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import DatabaseRows, QueueRow, QueueSpan, TransmissionRow, TransmissionSpan
from engine.storage.loading import ENDPOINTS_AT_ONCE
from engine.storage.portions import at_places, numbered_from, portion
from engine.storage.postgres.arrays import Integers, storable
from engine.storage.postgres.connection import Connection
from engine.storage.postgres.schema import PLAIN
from engine.storage.queue_spans import PLACES_AT_ONCE, PlainMessage, spans_of
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION, Row, RowTable

MESSAGES_AT_ONCE: Final = 500
"""Messages of a queue that the server sends together."""

_QUEUES: Final = f"SELECT {QUEUES.columns} FROM queue_messages WHERE (database_name, queuing_order) > (%b, %b)"  # noqa: S608

_ALL_MESSAGES: Final = f"{_QUEUES} ORDER BY database_name, queuing_order LIMIT %b".encode()
_OTHER_MESSAGES: Final = f"{_QUEUES} AND NOT ({PLAIN}) ORDER BY database_name, queuing_order LIMIT %b".encode()

_END_OF_PAGE: Final = b"""
SELECT * FROM (
    SELECT database_name, queuing_order FROM queue_messages WHERE (database_name, queuing_order) > (%b, %b)
    ORDER BY database_name, queuing_order LIMIT %b
) AS page ORDER BY database_name DESC, queuing_order DESC LIMIT 1
"""

_PLAIN_MESSAGES: Final = f"""
SELECT database_name, queue_name, conversation_handle, priority, conversation_group_id,
    string_agg(int8send(queuing_order), '' ORDER BY queuing_order),
    string_agg(int8send(message_sequence_number), '' ORDER BY queuing_order)
FROM queue_messages
WHERE (database_name, queuing_order) > (%b, %b) AND (database_name, queuing_order) <= (%b, %b) AND {PLAIN}
GROUP BY database_name, queue_name, conversation_handle, priority, conversation_group_id
ORDER BY min(queuing_order)
""".encode()  # noqa: S608
"""The index alone answers it, and the server puts a conversation's messages together: eight bytes a number."""

_DEPARTED: Final = f"SELECT id, {DEPARTED.columns} FROM departed_sessions WHERE id > %b ORDER BY id LIMIT %b".encode()  # noqa: S608

_ENDPOINTS: Final = (
    f"SELECT id, {ENDPOINTS.columns} FROM conversation_endpoints WHERE id > %b ORDER BY id LIMIT %b".encode()  # noqa: S608
)

_WAITING: Final = (
    f"SELECT {TRANSMISSION.columns} FROM conversation_endpoints"  # noqa: S608
    " JOIN transmission_queue USING (conversation_handle, database_name)"
    " WHERE conversation_endpoints.id > %b AND conversation_endpoints.id <= %b"
    " ORDER BY transmission_queue.conversation_handle, message_sequence_number"
).encode()

_WITHOUT_ENDPOINT: Final = (
    f"SELECT {TRANSMISSION.columns} FROM transmission_queue WHERE NOT EXISTS ("  # noqa: S608
    "SELECT FROM conversation_endpoints AS own WHERE own.conversation_handle = transmission_queue.conversation_handle"
    " AND own.database_name = transmission_queue.database_name)"
    " ORDER BY conversation_handle, message_sequence_number"
).encode()


_SPANS: Final = b"""
SELECT own.database_name, own.conversation_handle, first.message_sequence_number, last.message_sequence_number,
    first.enqueue_time
FROM conversation_endpoints AS own
CROSS JOIN LATERAL (SELECT message_sequence_number, enqueue_time FROM transmission_queue AS waiting
    WHERE waiting.conversation_handle = own.conversation_handle AND waiting.database_name = own.database_name
    ORDER BY message_sequence_number LIMIT 1) AS first
CROSS JOIN LATERAL (SELECT message_sequence_number FROM transmission_queue AS waiting
    WHERE waiting.conversation_handle = own.conversation_handle AND waiting.database_name = own.database_name
    ORDER BY message_sequence_number DESC LIMIT 1) AS last
WHERE own.id > %b AND own.id <= %b
"""
"""Numbers have no holes, so that the index alone tells of each conversation how much waits, at either end of it."""

_TRANSMISSION: Final = f"""
SELECT {TRANSMISSION.columns} FROM (
    SELECT *, row_number() OVER by_number AS place,
        sum(coalesce(octet_length(message_body), 0)) OVER by_number AS bytes
    FROM (
        SELECT * FROM transmission_queue
        WHERE conversation_handle = %b AND database_name = %b AND message_sequence_number >= %b
        ORDER BY message_sequence_number LIMIT {MESSAGES_READ_AT_ONCE}
    ) AS next
    WINDOW by_number AS (ORDER BY message_sequence_number)
) AS transmission_queue
WHERE place = 1 OR bytes <= {MESSAGES_READ_BYTES} ORDER BY place
""".encode()  # noqa: S608
"""The server looks at the sizes of bodies and sends no more of them than are wanted."""

_MESSAGES: Final = f"""
SELECT {QUEUES.columns} FROM (
    SELECT message.*, place, sum(coalesce(octet_length(message_body), 0)) OVER (ORDER BY place) AS bytes
    FROM unnest(%b) WITH ORDINALITY AS asked (asked_for, place)
    JOIN queue_messages AS message ON message.queuing_order = asked_for AND message.database_name = %b
) AS queue_messages
WHERE place = 1 OR bytes <= {MESSAGES_READ_BYTES} ORDER BY place
""".encode()  # noqa: S608


class _Pieces:
    """Rows by their databases, in the order in which those come."""

    def __init__(self, names: Collection[DatabaseName] = ()) -> None:
        self.found = {name: DatabaseRows(name=name) for name in names}

    def of(self, name: str) -> DatabaseRows:
        """The piece of a database, begun when it is the first row of it."""
        known = self.found.get(DatabaseName(name))
        if known is None:
            known = self.found[DatabaseName(name)] = DatabaseRows(name=DatabaseName(name))
        return known

    def take_waiting(self, records: Sequence[Any]) -> None:
        """Messages that wait for transmission."""
        for (database,), row in map(TRANSMISSION.parse, records):
            self.of(database).transmission.append(row)


def read_transmission(
    connection: Connection, database: DatabaseName, handle: ConversationHandle, first: int
) -> Sequence[TransmissionRow]:
    """What waits on a conversation from a number on, as many as are read at once."""
    records = _fetch(connection, _TRANSMISSION, handle, storable(database), Int8(first))
    return numbered_from(first, portion(map(TRANSMISSION.parse_row, records)))


def read_messages(connection: Connection, database: DatabaseName, orders: Sequence[int]) -> Sequence[QueueRow]:
    """Messages at places of queues, as many as are read at once."""
    asked = orders[:MESSAGES_READ_AT_ONCE]
    records = _fetch(connection, _MESSAGES, Integers.of(asked), storable(database))
    return at_places(asked, portion(map(QUEUES.parse_row, records)))


def read_databases(
    connection: Connection, names: Collection[DatabaseName], *, in_spans: bool
) -> Iterator[DatabaseRows]:
    """Every database, the named ones first unless in spans: its queues, then its conversations, each in several pieces.

    The schema must not change meanwhile. Raises `msgspec.ValidationError` for a row that cannot be.
    """
    if in_spans:
        yield from _queues_in_spans(connection)
        yield from _queues(connection, names, _OTHER_MESSAGES, in_pieces=True)
        yield from _conversations_in_spans(connection)
    else:
        yield from _queues(connection, names, _ALL_MESSAGES, in_pieces=False)
        yield from _conversations(connection)


def _queues_in_spans(connection: Connection) -> Iterator[DatabaseRows]:
    start: tuple[str, Int8] = ("", Int8(-1))
    while ends := _fetch(connection, _END_OF_PAGE, *start, PLACES_AT_ONCE):
        end = (ends[0][0], Int8(ends[0][1]))
        pieces = _Pieces()
        for database, queue, *of_one in _fetch(connection, _PLAIN_MESSAGES, *start, *end):
            spans = pieces.of(database).queue_spans
            spans.setdefault(QueueName(queue), []).extend(_queue_spans(*of_one))
        yield from pieces.found.values()
        start = end


def _queue_spans(handle: bytes, priority: int, group: bytes, places: bytes, numbers: bytes) -> Iterator[QueueSpan]:
    """The messages of a conversation, one span while their numbers follow one another."""
    told = zip(_integers(places), _integers(numbers), strict=True)
    messages = (PlainMessage(place, number, handle, "", priority, group) for place, number in told)
    return chain.from_iterable(spans_of(messages).values())


def _integers(packed: bytes) -> array[int]:
    found = array("q", packed)
    if byteorder == "little":
        found.byteswap()
    return found


def _conversations_in_spans(connection: Connection) -> Iterator[DatabaseRows]:
    [[any_waits]] = _fetch(connection, b"SELECT EXISTS (SELECT FROM transmission_queue)")
    after = 0
    while records := _fetch(connection, _ENDPOINTS, after, ENDPOINTS_AT_ONCE):
        pieces, last = _Pieces(), records[-1][0]
        for record in records:
            (database,), row = ENDPOINTS.parse(record[1:])
            pieces.of(database).endpoints.append(row)
        for database, handle, first, end, since in _fetch(connection, _SPANS, after, last) if any_waits else ():
            pieces.of(database).spans.append(_span(handle, first, end, since))
        yield from pieces.found.values()
        after = last


def _span(handle: bytes, first: int, last: int, since: float) -> TransmissionSpan:
    return TransmissionSpan(ConversationHandle(UUID(bytes=handle)), first, last + 1, UtcTime(since))


def _conversations(connection: Connection) -> Iterator[DatabaseRows]:
    waiting = int(_fetch(connection, b"SELECT count(*) FROM transmission_queue")[0][0])
    after = 0
    while records := _fetch(connection, _ENDPOINTS, after, ENDPOINTS_AT_ONCE):
        pieces = _Pieces()
        for record in records:
            (database,), row = ENDPOINTS.parse(record[1:])
            pieces.of(database).endpoints.append(row)
        last = records[-1][0]
        if waiting:
            found = _fetch(connection, _WAITING, after, last)
            waiting -= len(found)
            pieces.take_waiting(found)
        yield from pieces.found.values()
        after = last
    if waiting:
        pieces = _Pieces()
        pieces.take_waiting(_fetch(connection, _WITHOUT_ENDPOINT))
        yield from pieces.found.values()


def _queues(
    connection: Connection, names: Collection[DatabaseName], query: bytes, *, in_pieces: bool
) -> Iterator[DatabaseRows]:
    """Messages of queues, a page a piece, or all; with the last of them the keys of what is gone, which are few."""
    pieces = _Pieces(names)
    place: tuple[str, int] = ("", -1)
    while records := _fetch(connection, query, *place, MESSAGES_AT_ONCE):
        for (database, queue), message in map(QUEUES.parse, records):
            pieces.of(database).queues.setdefault(QueueName(queue), []).append(message)
            place = (storable(database), message.queuing_order)
        if in_pieces:
            yield from pieces.found.values()
            pieces = _Pieces()
    for (database,), session in _by_age(connection, _DEPARTED, DEPARTED):
        pieces.of(database).departed.append(session)
    yield from pieces.found.values()


def _by_age(connection: Connection, query: bytes, table: RowTable[Row]) -> Iterator[tuple[tuple[str, ...], Row]]:
    after = 0
    while records := _fetch(connection, query, after, MESSAGES_AT_ONCE):
        yield from (table.parse(record[1:]) for record in records)
        after = records[-1][0]


def _fetch(connection: Connection, query: bytes, *parameters: object) -> list[Any]:
    return connection.cursor(binary=True).execute(query, parameters).fetchall()
