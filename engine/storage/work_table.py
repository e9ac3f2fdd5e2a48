"""`SqliteWorkTable`: transmission objects that nobody needs, in a temporary SQLite file (protocol.md 5).

The file has no name and goes with the connection. It stands in SQLite's folder for temporary files (`SQLITE_TMPDIR`,
else the system's) and is written only when it outgrows its cache, so that an instance with few conversations never
touches a disk for it. Nothing is synced: what is lost is made anew from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, Final

import apsw

from engine.core.transmission.waiting_line import EndpointKey
from engine.core.transmission.work_table import WorkEntry, WorkRow
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationId,
    DatabaseName,
    shared,
)
from engine.core.vocabulary.moment import UtcTime
from engine.storage.errors import StoreFailed
from engine.storage.records import id_bytes

WORK_TABLE_DAMAGED: Final = 9657

CACHE_KIBIBYTES: Final = 8 * 1024
"""Memory of the table; what is beyond it is in the file."""

GONE_MAX: Final = 1_000
"""Rows that may wait for their removal."""

LATEST: Final = 2**63 - 1
"""Greater than any serial number."""

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
CREATE INDEX objects_by_wake ON objects (wake_at, serial) WHERE wake_at IS NOT NULL;
"""

_INSERT: Final = "INSERT INTO objects VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_UPDATE: Final = "UPDATE objects SET body = ? WHERE serial = ?"
_UPDATE_KEYS: Final = (
    "UPDATE objects SET wake_at = ?1, conversation_group_id = ?2"
    " WHERE serial = ?3 AND (wake_at IS NOT ?1 OR conversation_group_id <> ?2)"
)
_DELETE: Final = "DELETE FROM objects WHERE serial = ?"
_STOP_WAKING: Final = "UPDATE objects SET wake_at = NULL WHERE serial = ?"
_OF_HANDLE: Final = "WHERE conversation_handle = ? AND database_name = ?"
_SELECT: Final = "SELECT serial, database_name, body FROM objects "
_EARLIEST: Final = "SELECT min(wake_at) FROM objects WHERE wake_at > ?"


class SqliteWorkTable:
    """The `WorkTable` of one instance. Raises `StoreFailed` when there is no room or the file is damaged (9657).

    A row that is taken out stays where it is and is passed over: when it is written again, which is what nearly always
    happens, its content alone is replaced. To remove it would change five trees, and to insert it anew five more.
    """

    def __init__(self) -> None:
        with _guarded():
            self._connection = apsw.Connection("")
            self._connection.pragma("journal_mode", "MEMORY")
            self._connection.pragma("synchronous", "OFF")
            self._connection.pragma("cache_size", -CACHE_KIBIBYTES)
            self._connection.execute(_TABLE)
        self._count = 0
        self._out: set[int] = set()
        """Serial numbers of rows that were taken out."""
        self._gone: list[int] = []
        """Those of them that will not come back, and are removed with the next rows that are written."""
        self._wakes_from: float = inf
        """No row is due before; infinite when none has a time."""

    def write(self, entries: Sequence[WorkEntry]) -> None:
        """Keep rows that are not in the table."""
        again = [entry for entry in entries if entry.serial in self._out]
        with _guarded(), self._connection:
            self._remove_gone()
            self._connection.executemany(
                _INSERT, [_record(entry) for entry in entries if entry.serial not in self._out]
            )
            self._connection.executemany(_UPDATE, [(entry.body, entry.serial) for entry in again])
            self._connection.executemany(
                _UPDATE_KEYS, [(entry.wake_at, id_bytes(entry.conversation_group_id), entry.serial) for entry in again]
            )
        self._out.difference_update(self._gone, [entry.serial for entry in again])
        self._gone.clear()
        self._count += len(entries)
        times = [entry.wake_at for entry in entries if entry.wake_at is not None]
        self._wakes_from = min(self._wakes_from, *times) if times else self._wakes_from

    def take_out(self, row: WorkRow) -> None:
        """A row that was found is in memory from now on; nothing finds it here until it is written again."""
        self._out.add(row.serial)
        self._count -= 1

    def forget(self, serial: int) -> None:
        """What was taken out, or never written, will not come back."""
        if serial in self._out:
            self._gone.append(serial)
            if len(self._gone) >= GONE_MAX:
                with _guarded(), self._connection:
                    self._remove_gone()
                self._out.difference_update(self._gone)
                self._gone.clear()

    def _remove_gone(self) -> None:
        self._connection.executemany(_DELETE, [(serial,) for serial in self._gone])

    def of_handle(self, key: EndpointKey) -> WorkRow | None:
        """The row of an endpoint."""
        database, handle = key
        found = self._rows(_OF_HANDLE, id_bytes(handle), database)
        return found[0] if found else None

    def of_conversation(self, conversation_id: ConversationId, is_initiator: bool) -> Sequence[WorkRow]:
        """The rows of one side of a conversation, the eldest first: a copy of a database has it, too."""
        where = "WHERE conversation_id = ? AND is_initiator = ? ORDER BY serial"
        return self._rows(where, id_bytes(conversation_id), is_initiator)

    def of_group(self, database: DatabaseName, group: ConversationGroupId) -> Sequence[WorkRow]:
        """The rows of a conversation group."""
        where = "WHERE conversation_group_id = ? AND database_name = ? ORDER BY serial"
        return self._rows(where, id_bytes(group), database)

    def after(self, serial: int, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Rows later than `serial`, in order, of a database or of all. The table is not changed meanwhile."""
        where = "WHERE serial > ? AND (? IS NULL OR database_name = ?) ORDER BY serial LIMIT ?"
        while records := self._records(where, serial, database, database, ROWS_AT_ONCE):
            yield from self._in_the_table(records)
            serial = records[-1][0]

    def back(self, database: DatabaseName | None) -> Iterator[WorkRow]:
        """Every row of a database or of all, the latest first. The table is not changed meanwhile."""
        where = "WHERE serial < ? AND (? IS NULL OR database_name = ?) ORDER BY serial DESC LIMIT ?"
        serial = LATEST
        while records := self._records(where, serial, database, database, ROWS_AT_ONCE):
            yield from self._in_the_table(records)
            serial = records[-1][0]

    def due(self, now: UtcTime, limit: int) -> Sequence[WorkRow]:
        """At most `limit` rows whose time has come, the earliest first; whoever asks takes them out."""
        if now < self._wakes_from:
            return []
        where = "WHERE wake_at <= ? ORDER BY wake_at, serial LIMIT ?"
        while taken_out := [(each[0],) for each in self._records(where, now, limit) if each[0] in self._out]:
            with _guarded(), self._connection:
                self._connection.executemany(_STOP_WAKING, taken_out)
        found = self._rows(where, now, limit)
        self._wakes_from = now if len(found) == limit else self._earliest_behind(now)
        return found

    def _earliest_behind(self, now: UtcTime) -> float:
        with _guarded():
            earliest: Any = self._connection.execute(_EARLIEST, (now,)).get
        return inf if earliest is None else float(earliest)

    def next_wake(self) -> UtcTime | None:
        """Before which no row is due; None when no row has a time."""
        return None if self._wakes_from == inf else UtcTime(self._wakes_from)

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Let go of the file; harmless when closed."""
        self._connection.close()

    def _rows(self, where: str, *parameters: object) -> list[WorkRow]:
        return self._in_the_table(self._records(where, *parameters))

    def _records(self, where: str, *parameters: object) -> list[Any]:
        with _guarded():
            return self._connection.execute(_SELECT + where, parameters).fetchall()

    def _in_the_table(self, records: list[Any]) -> list[WorkRow]:
        out = self._out
        return [
            WorkRow(serial=serial, database=DatabaseName(shared(database)), body=body)
            for serial, database, body in records
            if serial not in out
        ]


def _record(entry: WorkEntry) -> tuple[object, ...]:
    return (
        entry.serial,
        entry.database,
        id_bytes(entry.conversation_handle),
        id_bytes(entry.conversation_id),
        entry.is_initiator,
        id_bytes(entry.conversation_group_id),
        entry.wake_at,
        entry.body,
    )


@contextmanager
def _guarded() -> Iterator[None]:
    """Every way in which SQLite or the disk can fail, as one error with the reason."""
    try:
        yield
    except (apsw.Error, OSError) as error:
        raise StoreFailed(f"{status_text(WORK_TABLE_DAMAGED)}: {error}") from error
