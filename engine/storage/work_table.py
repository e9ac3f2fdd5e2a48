"""`SqliteWorkTable`: transmission objects that nobody needs, in a temporary SQLite file (protocol.md 5).

The file has no name and goes with the connection. It stands in SQLite's folder for temporary files (`SQLITE_TMPDIR`,
else the system's) and is written only when it outgrows its cache, so that an instance with few conversations never
touches a disk for it. Nothing is synced: what is lost is made anew from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import UUID

import apsw

from engine.core.transmission.links import EndpointKey
from engine.core.transmission.work_table import WorkRow
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    shared,
)
from engine.core.vocabulary.moment import UtcTime
from engine.storage.errors import StoreFailed
from engine.storage.records import bind

WORK_TABLE_DAMAGED: Final = 9657

CACHE_KIBIBYTES: Final = 8 * 1024
"""Memory of the table; what is beyond it is in the file."""

ROWS_AT_ONCE: Final = 100
"""Rows that a reader of many fetches together: no statement stays open between two of them."""

_TABLE: Final = """
CREATE TABLE objects (
    serial                INTEGER PRIMARY KEY,
    database_name         TEXT NOT NULL,
    conversation_handle   BLOB NOT NULL,
    conversation_id       BLOB NOT NULL,
    is_initiator          INTEGER NOT NULL,
    conversation_group_id BLOB NOT NULL,
    wake_at               REAL,
    body                  BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX objects_by_handle ON objects (conversation_handle, database_name);
CREATE INDEX objects_by_conversation ON objects (conversation_id, is_initiator);
CREATE INDEX objects_by_group ON objects (conversation_group_id, database_name);
CREATE INDEX objects_by_wake ON objects (wake_at) WHERE wake_at IS NOT NULL;
"""

_SELECT: Final = (
    "SELECT serial, database_name, conversation_handle, conversation_id, is_initiator, conversation_group_id,"
    " wake_at, body FROM objects "
)


class SqliteWorkTable:
    """The `WorkTable` of one instance. Raises `StoreFailed` when there is no room or the file is damaged (9657)."""

    def __init__(self) -> None:
        with _guarded():
            self._connection = apsw.Connection("")
            self._connection.convert_binding = bind
            self._connection.pragma("journal_mode", "MEMORY")
            self._connection.pragma("synchronous", "OFF")
            self._connection.pragma("cache_size", -CACHE_KIBIBYTES)
            self._connection.execute(_TABLE)
        self._count = 0

    def write(self, rows: Sequence[WorkRow]) -> None:
        """Keep rows whose keys are not in the table."""
        with _guarded(), self._connection:
            self._connection.executemany(
                "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        row.serial,
                        row.database,
                        row.conversation_handle,
                        row.conversation_id,
                        row.is_initiator,
                        row.conversation_group_id,
                        row.wake_at,
                        row.body,
                    )
                    for row in rows
                ),
            )
        self._count += len(rows)

    def remove(self, key: EndpointKey) -> None:
        """Forget a row; harmless when it is not there."""
        database, handle = key
        with _guarded():
            self._connection.execute(
                "DELETE FROM objects WHERE conversation_handle = ? AND database_name = ?", (handle, database)
            )
            self._count -= self._connection.changes()

    def of_handle(self, key: EndpointKey) -> WorkRow | None:
        """The row of an endpoint."""
        database, handle = key
        found = self._rows("WHERE conversation_handle = ? AND database_name = ?", handle, database)
        return found[0] if found else None

    def of_conversation(self, conversation_id: ConversationId, is_initiator: bool) -> Sequence[WorkRow]:
        """The rows of one side of a conversation, the eldest first: a copy of a database has it, too."""
        return self._rows(
            "WHERE conversation_id = ? AND is_initiator = ? ORDER BY serial", conversation_id, is_initiator
        )

    def of_group(self, database: DatabaseName, group: ConversationGroupId) -> Sequence[WorkRow]:
        """The rows of a conversation group."""
        return self._rows("WHERE conversation_group_id = ? AND database_name = ? ORDER BY serial", group, database)

    def after(self, serial: int, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Rows later than `serial`, in order, of a database or of all. The table is not changed meanwhile."""
        where = "WHERE serial > ? AND (? IS NULL OR database_name = ?) ORDER BY serial LIMIT ?"
        while rows := self._rows(where, serial, database, database, ROWS_AT_ONCE):
            yield from rows
            serial = rows[-1].serial

    def due(self, now: UtcTime, limit: int) -> Sequence[EndpointKey]:
        """At most `limit` rows whose time has come, the earliest first."""
        return [row.key for row in self._rows("WHERE wake_at <= ? ORDER BY wake_at, serial LIMIT ?", now, limit)]

    def next_wake(self) -> UtcTime | None:
        """The earliest `wake_at`; None when no row has one."""
        with _guarded():
            earliest = self._connection.execute("SELECT min(wake_at) FROM objects WHERE wake_at IS NOT NULL").get
        return None if earliest is None else UtcTime(float(earliest))

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Let go of the file; harmless when closed."""
        self._connection.close()

    def _rows(self, where: str, *parameters: object) -> list[WorkRow]:
        with _guarded():
            found: list[Any] = self._connection.execute(_SELECT + where, parameters).fetchall()
        return [_row(record) for record in found]


def _row(record: tuple[Any, ...]) -> WorkRow:
    serial, database, handle, conversation, is_initiator, group, wake_at, body = record
    return WorkRow(
        serial=serial,
        database=DatabaseName(shared(database)),
        conversation_handle=ConversationHandle(UUID(bytes=handle)),
        conversation_id=ConversationId(UUID(bytes=conversation)),
        is_initiator=bool(is_initiator),
        conversation_group_id=ConversationGroupId(UUID(bytes=group)),
        wake_at=None if wake_at is None else UtcTime(wake_at),
        body=body,
    )


@contextmanager
def _guarded() -> Iterator[None]:
    """Every way in which SQLite or the disk can fail, as one error with the reason."""
    try:
        yield
    except (apsw.Error, OSError) as error:
        raise StoreFailed(f"{status_text(WORK_TABLE_DAMAGED)}: {error}") from error
