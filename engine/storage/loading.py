"""The rows of an instance's file, piece by piece: starting takes memory for what is needed, not for all there is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Any, Final

import apsw

from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.rows import ConversationEndpoint, DatabaseRows, DepartedSession, QueueRow, TransmissionRow
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION

ENDPOINTS_AT_ONCE: Final = 5_000
"""Conversations of one piece."""

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


def read_databases(connection: apsw.Connection, names: Collection[DatabaseName]) -> Iterator[DatabaseRows]:
    """Every database, the named ones first: a piece with its queues, then its conversations in several.

    The file must not change meanwhile. Raises `msgspec.ValidationError` for a row that cannot be.
    """
    yield from _queues(connection, names)
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


def _queues(connection: apsw.Connection, names: Collection[DatabaseName]) -> Iterator[DatabaseRows]:
    """Messages of queues stay in memory all the time, so they may come at once; keys of what is gone are few."""
    queues: dict[DatabaseName, dict[QueueName, list[QueueRow]]] = {name: {} for name in names}
    for (database, queue), message in QUEUES.read(connection):
        queues.setdefault(DatabaseName(database), {}).setdefault(QueueName(queue), []).append(message)
    departed: dict[DatabaseName, list[DepartedSession]] = {}
    for (database,), session in DEPARTED.read(connection):
        departed.setdefault(DatabaseName(database), []).append(session)
    for name in dict.fromkeys((*queues, *departed)):
        yield DatabaseRows(name=name, queues=queues.pop(name, {}), departed=departed.pop(name, []))


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
