"""`PostgresStore`: the state of one instance in a schema of its own, durable before `commit` returns (ADR 17).

A commit is one message to the server and one answer: its statements are sent together in a pipeline, each with all rows
of its kind, and the server carries them out as one transaction. First of them stands the fencing number.

A server that is lost in the middle of a commit may have kept it or not: whoever loads the instance anew sees which, and
a command whose reply never came is answered from the store.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

import psycopg
from psycopg.types.numeric import Int8

from engine.contracts.codec import binary_catalog_decoder, binary_encoder, binary_events_decoder, binary_reply_decoder
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import PutCatalog, PutCommandReply, StateChange
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EstateName,
    EventSequence,
    FencingNumber,
    InstanceName,
)
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX, EVENTS_KEPT
from engine.core.vocabulary.rows import DatabaseRows, QueueRow, TransmissionRow
from engine.runtime.ports import InstanceState
from engine.storage.errors import StoreFailed, StoreFenced
from engine.storage.known_replies import Batch, KnownReplies
from engine.storage.postgres.arrays import Binaries, Reals, Uuids
from engine.storage.postgres.connection import connect, words_of_the_server
from engine.storage.postgres.loading import read_databases, read_messages, read_transmission
from engine.storage.postgres.naming import schema_name
from engine.storage.postgres.ownership import disown, open_schema, stored_fence
from engine.storage.postgres.retention import Retention
from engine.storage.postgres.schema import FENCED
from engine.storage.postgres.stages import row_statements
from engine.storage.postgres.tables import Statement

_HOLD: Final = b"SELECT hold(%b)"
_EVENTS: Final = b"INSERT INTO events (first, count, events) VALUES (%b, %b, %b)"
_LAST_EVENT: Final = b"SELECT first + count - 1 FROM events ORDER BY first DESC LIMIT 1"
_EVENTS_AFTER: Final = b"""
SELECT first, events FROM events
WHERE first >= (SELECT coalesce(max(first), 0) FROM events WHERE first <= %b) AND first < %b ORDER BY first
"""
"""The row in which the first wanted event stands may begin long before it."""

_CATALOG: Final = b"""
INSERT INTO catalog (id, revision, body) VALUES (1, %b, %b)
ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, body = excluded.body
"""
_REPLIES: Final = b"""
INSERT INTO command_replies (command_id, reply, replied_at) SELECT * FROM unnest(%b, %b, %b)
ON CONFLICT (command_id) DO UPDATE SET reply = excluded.reply, replied_at = excluded.replied_at
"""
_KNOWN_REPLIES: Final = b"SELECT command_id, octet_length(reply), replied_at FROM command_replies ORDER BY id"
_NOTE: Final = b"INSERT INTO notes VALUES (%b, %b) ON CONFLICT (key) DO UPDATE SET value = excluded.value"


class PostgresStore:
    """One instance's schema. Not safe for two threads at once: its host uses it from one.

    Raises `StoreFenced` when a later owner has it, `StoreInUse` when another process with the same number has it open,
    else `StoreFailed` when the server cannot be reached or refuses.
    """

    BODY_BYTES_MAX: Final = 100_000_000
    """Largest body: twice that would fit, but its commit holds up the loop of the host for ten seconds and more."""

    def __init__(
        self,
        url: str,
        estate: EstateName,
        instance: InstanceName,
        fence: FencingNumber,
        *,
        events_kept: int = EVENTS_KEPT,
    ) -> None:
        """Own the schema under the number `fence`; the schema is made when there is none."""
        self._url = url
        self._instance = instance
        self._fence = fence
        self._schema = schema_name(estate, instance)
        self._commits = 0
        """How many commits with replies are known."""
        self._connection = connect(url)
        try:
            with words_of_the_server():
                open_schema(self._connection, estate, instance, fence)
                self._last_event = int(self._first(_LAST_EVENT) or 0)
                self._known_replies = self._read_known_replies()
        except BaseException:
            self.close()
            raise
        self._retention = Retention(events_kept)

    # ── the port ─────────────────────────────────────────────────────────────────────────────────────────────────
    def load(self, *, in_spans: bool = False) -> InstanceState:
        """Everything kept so far; the databases come from the server while they are read."""
        with self._guarded():
            body = self._first(b"SELECT body FROM catalog")
            catalog = InstanceCatalog(name=self._instance) if body is None else binary_catalog_decoder.decode(body)
        databases = self._databases(list(catalog.databases) if body is not None else [], in_spans=in_spans)
        return InstanceState(catalog=catalog, databases=databases, last_event=EventSequence(self._last_event))

    def _databases(self, names: Sequence[DatabaseName], *, in_spans: bool) -> Iterator[DatabaseRows]:
        with self._guarded():
            yield from read_databases(self._connection, names, in_spans=in_spans)

    def transmission_rows(
        self, database: DatabaseName, conversation_handle: ConversationHandle, first: int
    ) -> Sequence[TransmissionRow]:
        """Committed messages of a conversation from the number `first` on, as many as are read at once."""
        with self._guarded():
            return read_transmission(self._connection, database, conversation_handle, first)

    def queue_rows(self, database: DatabaseName, queuing_orders: Sequence[int]) -> Sequence[QueueRow]:
        """Committed messages of queues at these places, as many as are read at once."""
        with self._guarded():
            return read_messages(self._connection, database, queuing_orders)

    def reply_of(self, command_id: CommandId) -> Reply | None:
        """The stored reply of a command that was seen before."""
        if self._known_replies.row_of(command_id.int) is None:
            return None
        with self._guarded():
            found = self._first(b"SELECT reply FROM command_replies WHERE command_id = %b", command_id)
            return None if found is None else binary_reply_decoder.decode(found)

    def commit(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Make all of it durable in one transaction; answer the number of the first event."""
        first = self._last_event + 1
        replies = list({each.command_id.int: each for each in changes if isinstance(each, PutCommandReply)}.values())
        bodies = [binary_encoder.encode(each.reply) for each in replies]
        with self._guarded():
            self._carry_out(
                [
                    *row_statements(changes),
                    *_catalog_statements(changes),
                    *self._reply_statements(replies, bodies),
                    *self._event_statements(first, events),
                ]
            )
        self._last_event += len(events)
        self._remember(replies, sum(map(len, bodies)))
        return EventSequence(first)

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        wanted = Int8(sequence + 1)
        with self._guarded():
            cursor = self._connection.cursor(binary=True)
            rows = cursor.execute(_EVENTS_AFTER, (wanted, Int8(wanted + limit))).fetchall()
            return list(islice(_numbered(rows, sequence), max(limit, 0)))

    @property
    def is_in_place(self) -> bool:
        """Always: what is committed to a schema that was dropped is refused by the server."""
        return True

    def close(self) -> None:
        """Let go of the schema; harmless when closed or when the server is gone."""
        try:
            if not self._connection.closed:
                disown(self._connection)
        except psycopg.Error:
            # Whoever is cut off owns nothing any more.
            pass
        finally:
            self._connection.close()

    # ── notes of the host, no part of the instance's state ───────────────────────────────────────────────────────
    def read_note(self, key: str) -> str | None:
        """What was written under `key`."""
        with self._guarded():
            found = self._first(b"SELECT value FROM notes WHERE key = %b", key)
            return None if found is None else str(found)

    def write_note(self, key: str, value: str) -> None:
        """Keep `value` under `key`, durably."""
        with self._guarded():
            self._carry_out([(_NOTE, (key, value))])

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────────────
    def _carry_out(self, statements: Sequence[Statement]) -> None:
        """All statements as one transaction, with one answer.

        In a pipeline without BEGIN the server begins a transaction by itself and commits it where the pipeline ends.
        """
        with self._connection.pipeline():
            cursor = self._connection.cursor()
            cursor.execute(_HOLD, (Int8(self._fence),), prepare=True)
            for statement, parameters in statements:
                cursor.execute(statement, parameters, prepare=True)

    def _reply_statements(self, changes: Sequence[PutCommandReply], bodies: Sequence[bytes]) -> Iterator[Statement]:
        if not changes:
            return
        commands = Uuids.of([each.command_id for each in changes])
        yield _REPLIES, (commands, Binaries.of(bodies), Reals.of([each.replied_at for each in changes]))
        yield from self._retention.forgotten_replies()

    def _event_statements(self, first: int, events: Sequence[BrokerEvent]) -> Iterator[Statement]:
        if events:
            yield _EVENTS, (Int8(first), len(events), binary_encoder.encode(events))
            yield from self._retention.after_events(len(events), first + len(events) - 1)

    def _read_known_replies(self) -> KnownReplies:
        """Which commands have replies, the oldest first; those of one moment were of one commit."""
        known = KnownReplies()
        found = self._connection.cursor(binary=True).execute(_KNOWN_REPLIES)
        for replied_at, rows in groupby(found, key=itemgetter(2)):
            while portion := list(islice(rows, COMMIT_INPUTS_MAX)):
                ids, sizes, _ = zip(*portion, strict=True)
                self._commits += 1
                known.know(Batch(self._commits, tuple(map(int.from_bytes, ids)), sum(sizes), replied_at))
        return known

    def _remember(self, replies: Sequence[PutCommandReply], size: int) -> None:
        if not replies:
            return
        self._commits += 1
        at = replies[-1].replied_at
        self._known_replies.know(Batch(self._commits, tuple(each.command_id.int for each in replies), size, at))
        self._retention.forgotten(self._known_replies.forget_oldest(at, len(replies)))

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _first(self, query: bytes, *parameters: object) -> Any:
        row = self._connection.cursor(binary=True).execute(query, parameters).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with words_of_the_server():
            try:
                yield
            except psycopg.Error as error:
                if error.sqlstate == FENCED:
                    raise StoreFenced(str(error.diag.message_primary)) from error
                if self._connection.broken:
                    self._raise_if_fenced(error)
                raise

    def _raise_if_fenced(self, error: psycopg.Error) -> None:
        """A session that ended may have been ended by a later owner: then this is what there is to be said."""
        try:
            with connect(self._url) as connection:
                connection.execute(f'SET search_path = "{self._schema}"'.encode())
                stored = stored_fence(connection)
        except (StoreFailed, psycopg.Error):
            # The server cannot be asked: it is lost, which is what the error says.
            return
        if stored > self._fence:
            reason = f"the owner with the number {stored} has it, not the one with {self._fence}"
            raise StoreFenced(reason) from error


def _catalog_statements(changes: Sequence[StateChange]) -> Iterator[Statement]:
    """There is one catalog: the last one counts."""
    for change in reversed(changes):
        if isinstance(change, PutCatalog):
            yield _CATALOG, (Int8(change.catalog.revision), binary_encoder.encode(change.catalog))
            return


def _numbered(rows: Sequence[tuple[int, bytes]], after: EventSequence) -> Iterator[tuple[EventSequence, BrokerEvent]]:
    """Events later than `after` out of rows that hold many each."""
    for first, encoded in rows:
        for number, event in enumerate(binary_events_decoder.decode(encoded), start=first):
            if number > after:
                yield EventSequence(number), event
