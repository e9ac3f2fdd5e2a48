"""`SqliteStore`: the state of one instance in one SQLite file, durable before `commit` returns.

WAL with a full sync at each commit; what makes it fast is that the driver commits many inputs at once. The file is
locked for as long as the store is open, so an instance never has two owners on one machine; the lock goes with the
process, however it ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from engine.contracts.codec import (
    binary_catalog_decoder,
    binary_encoder,
    binary_event_decoder,
    binary_reply_decoder,
)
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropDepartedSession,
    DropEndpoint,
    PutCatalog,
    PutCommandReply,
    PutDepartedSession,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import CommandId, DatabaseName, EventSequence, InstanceName
from engine.core.vocabulary.limits import (
    COMMAND_REPLIES_BYTES_MAX,
    COMMAND_REPLIES_KEPT,
    COMMAND_REPLIES_SECONDS_MIN,
    EVENTS_KEPT,
)
from engine.core.vocabulary.rows import DatabaseRows
from engine.runtime.ports import InstanceState
from engine.storage.errors import StoreFailed, StoreInUse
from engine.storage.loading import read_databases
from engine.storage.migrate import migrate
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION, bind

TRIM_EVERY: Final = 1000
"""Events or replies written between two deletions of the oldest: deleting one by one would double the writes."""

REPLY_BYTES_UNTIL_LOOK: Final = COMMAND_REPLIES_BYTES_MAX // 8
"""Bytes of replies written between two looks at the size of all of them."""

_DELETE_LARGE_REPLIES: Final = """
DELETE FROM command_replies WHERE id <= (
    SELECT max(id) FROM (SELECT id, sum(length(reply)) OVER (ORDER BY id DESC) AS newer FROM command_replies)
    WHERE newer > ? AND id <= ?
)
"""


class SqliteStore:
    """One instance's file. Not safe for two threads at once: its host uses it from one.

    Raises `StoreInUse` when another process holds the file, else `StoreFailed` when it cannot be opened or written.
    """

    BODY_BYTES_MAX: Final = 400_000_000
    """Largest body that fits: SQLite keeps values of up to a billion bytes, and the reply of a RECEIVE is one value."""

    def __init__(self, path: Path, instance: InstanceName) -> None:
        self._instance = instance
        with _words_of_the_database(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = _open(path)
        self._path = path
        self._last_event = int(self._first("SELECT coalesce(max(sequence), 0) FROM events"))
        self._events_until_trim = self._replies_until_trim = TRIM_EVERY
        self._reply_bytes = 0
        """Written since the last look at the size of all replies."""
        self._reply_ages: deque[tuple[float, int]] = deque()
        """When a look was taken, and the newest reply then: what is older than that may go."""

    # ── the port ─────────────────────────────────────────────────────────────────────────────────────────────────
    def load(self) -> InstanceState:
        """Everything kept so far; the databases come from the file while they are read."""
        with self._guarded():
            catalog = self._catalog()
        databases = self._databases(list(catalog.databases))
        return InstanceState(catalog=catalog, databases=databases, last_event=EventSequence(self._last_event))

    def _databases(self, names: Sequence[DatabaseName]) -> Iterator[DatabaseRows]:
        with self._guarded():
            yield from read_databases(self._connection, names)

    def reply_of(self, command_id: CommandId) -> Reply | None:
        """The stored reply of a command that was seen before."""
        with self._guarded():
            found = self._first("SELECT reply FROM command_replies WHERE command_id = ?", command_id)
            return None if found is None else binary_reply_decoder.decode(found)

    def commit(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Make all of it durable in one transaction; answer the number of the first event."""
        first = self._last_event + 1
        with self._guarded(), self._transaction():
            for kind, run in groupby(changes, type):
                self._obey(kind, list(run))
            self._append_events(first, events)
        self._last_event += len(events)
        return EventSequence(first)

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        query = "SELECT sequence, event FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?"
        with self._guarded():
            rows: list[Any] = self._connection.execute(query, (sequence, limit)).fetchall()
            return [(EventSequence(number), binary_event_decoder.decode(event)) for number, event in rows]

    def close(self) -> None:
        """Fold the log into the file and let go of it; harmless when closed."""
        self._connection.close()

    # ── notes of the host, no part of the instance's state ───────────────────────────────────────────────────────
    def read_note(self, key: str) -> str | None:
        """What was written under `key`."""
        with self._guarded():
            found = self._first("SELECT value FROM meta WHERE key = ?", key)
            return None if found is None else str(found)

    def write_note(self, key: str, value: str) -> None:
        """Keep `value` under `key`, durably."""
        with self._guarded(), self._transaction():
            self._connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))

    # ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _obey(self, kind: type[StateChange], run: list[Any]) -> None:
        """Changes of one kind that follow each other; one prepared statement serves them all."""
        if kind is PutCatalog:
            self._put_catalog(run[-1].catalog)
            return
        if kind is DropDatabaseRows:
            for change in run:
                self._drop_database(change.database)
            return
        if kind is PutCommandReply:
            self._put_replies(run)
            return
        statement, records = _STATEMENTS[kind]
        self._connection.executemany(statement, (record for change in run for record in records(change)))

    def _put_catalog(self, catalog: InstanceCatalog) -> None:
        statement = "INSERT OR REPLACE INTO catalog (id, revision, body) VALUES (1, ?, ?)"
        self._connection.execute(statement, (catalog.revision, binary_encoder.encode(catalog)))

    def _drop_database(self, database: DatabaseName) -> None:
        for table in ("conversation_endpoints", "transmission_queue", "queue_messages", "departed_sessions"):
            self._connection.execute(f"DELETE FROM {table} WHERE database_name = ?", (database,))  # noqa: S608

    def _append_events(self, first: int, events: Sequence[BrokerEvent]) -> None:
        self._connection.executemany(
            "INSERT INTO events (sequence, event) VALUES (?, ?)",
            ((number, binary_encoder.encode(event)) for number, event in enumerate(events, start=first)),
        )
        self._events_until_trim -= len(events)
        if self._events_until_trim <= 0:
            self._events_until_trim = TRIM_EVERY
            oldest = first + len(events) - EVENTS_KEPT
            self._connection.execute("DELETE FROM events WHERE sequence < ?", (oldest,))

    def _put_replies(self, run: Sequence[PutCommandReply]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO command_replies (command_id, reply, replied_at) VALUES (?, ?, ?)",
            map(self._reply_record, run),
        )
        self._trim_replies(len(run))
        if self._reply_bytes >= REPLY_BYTES_UNTIL_LOOK:
            self._reply_bytes = 0
            self._trim_large_replies(float(run[-1].replied_at))

    def _reply_record(self, change: PutCommandReply) -> tuple[object, ...]:
        reply = binary_encoder.encode(change.reply)
        self._reply_bytes += len(reply)
        return change.command_id, reply, float(change.replied_at)

    def _trim_large_replies(self, now: float) -> None:
        """The oldest replies go beyond so many bytes, but none that is wanted yet."""
        newest = int(self._first("SELECT max(id) FROM command_replies"))
        self._reply_ages.append((now, newest))
        old = 0
        while self._reply_ages[0][0] <= now - COMMAND_REPLIES_SECONDS_MIN:
            old = self._reply_ages.popleft()[1]
        if old:
            self._connection.execute(_DELETE_LARGE_REPLIES, (COMMAND_REPLIES_BYTES_MAX, old))

    def _trim_replies(self, added: int) -> None:
        self._replies_until_trim -= added
        if self._replies_until_trim <= 0:
            self._replies_until_trim = TRIM_EVERY
            self._connection.execute(
                "DELETE FROM command_replies WHERE id <= (SELECT max(id) FROM command_replies) - ?",
                (COMMAND_REPLIES_KEPT,),
            )

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _catalog(self) -> InstanceCatalog:
        body = self._first("SELECT body FROM catalog")
        return InstanceCatalog(name=self._instance) if body is None else binary_catalog_decoder.decode(body)

    def _first(self, query: str, *parameters: object) -> Any:
        row = self._connection.execute(query, parameters).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            # A full disk makes SQLite roll back by itself; a second rollback would hide the reason.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with _words_of_the_database(self._path):
            yield


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        connection.convert_binding = bind
        connection.pragma("locking_mode", "EXCLUSIVE")
        connection.pragma("journal_mode", "WAL")
        connection.pragma("synchronous", "FULL")
        # Takes the lock, which exclusive mode never gives back: from here on the instance has one owner.
        connection.execute("BEGIN IMMEDIATE; COMMIT")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _words_of_the_database(path: Path) -> Iterator[None]:
    """Every way in which SQLite, the disk or the content of the file can fail, as one error with the reason."""
    try:
        yield
    except apsw.BusyError as error:
        raise StoreInUse(f"{path.name} is in use by another process") from error
    except (apsw.Error, OSError, msgspec.MsgspecError) as error:
        raise StoreFailed(f"{path.name}: {error}") from error


Records = Callable[[Any], Sequence[tuple[object, ...]]]

_STATEMENTS: Final[dict[type[StateChange], tuple[str, Records]]] = {
    PutEndpoint: (ENDPOINTS.insert, lambda change: [ENDPOINTS.record((change.database,), change.endpoint)]),
    DropEndpoint: (
        "DELETE FROM conversation_endpoints WHERE conversation_handle = ? AND database_name = ?",
        lambda change: [(change.conversation_handle, change.database)],
    ),
    AppendTransmission: (TRANSMISSION.insert, lambda change: [TRANSMISSION.record((change.database,), change.row)]),
    TrimTransmission: (
        "DELETE FROM transmission_queue"
        " WHERE conversation_handle = ? AND database_name = ? AND message_sequence_number <= ?",
        lambda change: [(change.conversation_handle, change.database, change.through)],
    ),
    AppendQueue: (QUEUES.insert, lambda change: [QUEUES.record((change.database, change.queue), change.row)]),
    SetQueueRowStatus: (
        "UPDATE queue_messages SET status = ? WHERE queuing_order = ? AND database_name = ? AND queue_name = ?",
        lambda change: [(change.status.value, order, change.database, change.queue) for order in change.queuing_orders],
    ),
    AdmitQueueRows: (
        "UPDATE queue_messages SET awaits_queue = 0 WHERE queuing_order = ? AND database_name = ? AND queue_name = ?",
        lambda change: [(order, change.database, change.queue) for order in change.queuing_orders],
    ),
    SetQueueRowGroup: (
        "UPDATE queue_messages SET conversation_group_id = ?"
        " WHERE queuing_order = ? AND database_name = ? AND queue_name = ?",
        lambda change: [
            (change.conversation_group_id, order, change.database, change.queue) for order in change.queuing_orders
        ],
    ),
    RemoveQueue: (
        "DELETE FROM queue_messages WHERE queuing_order = ? AND database_name = ? AND queue_name = ?",
        lambda change: [(order, change.database, change.queue) for order in change.queuing_orders],
    ),
    PutDepartedSession: (DEPARTED.insert, lambda change: [DEPARTED.record((change.database,), change.session)]),
    DropDepartedSession: (
        "DELETE FROM departed_sessions WHERE conversation_id = ? AND is_initiator = ? AND database_name = ?",
        lambda change: [(change.conversation_id, change.is_initiator, change.database)],
    ),
}
