"""`SqliteStore`: the state of one instance in a log and a SQLite file, durable before `commit` returns.

A commit is appended to the log and synced; now and then what the log holds is folded into the file, as its net effect
and in one transaction (ADR 22). What makes it fast besides is that the driver commits many inputs at once. An instance
never has two owners: under a fencing number every commit asks whether a later owner has come; without one the log is
locked for as long as it is open, and the lock goes with the process, however it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from engine.contracts.codec import binary_catalog_decoder
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import PutCommandReply, StateChange
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    FencingNumber,
    InstanceName,
)
from engine.core.vocabulary.limits import EVENTS_KEPT
from engine.core.vocabulary.rows import DatabaseRows, QueueRow, TransmissionRow
from engine.runtime.ports import InstanceState
from engine.storage.commit_log.entries import Entry, decode, encode, entry_of
from engine.storage.commit_log.file import LOG_BYTES_MAX, LOG_SUFFIX, LogFile, is_file_of
from engine.storage.commit_log.file_rows import SqliteRows
from engine.storage.commit_log.unfolded import Unfolded
from engine.storage.errors import StoreFailed, StoreFenced, StoreInUse, full_disk, is_without_room
from engine.storage.event_log import EventLog
from engine.storage.loading import read_databases, read_messages, read_transmission
from engine.storage.migrate import migrate
from engine.storage.portions import at_places, numbered_from, portion
from engine.storage.records import QUEUES, TRANSMISSION, bind, id_bytes
from engine.storage.reply_log import ReplyLog

TAKE_OVER_SECONDS: Final = 0.2
"""How long a new owner waits for a commit of the earlier one to end; one that was stopped in its middle is in use."""

COMMIT_SECONDS: Final = 1.0
"""How long a commit waits for a new owner that is taking over, to be refused by it then; the host waits with it."""

CHECKPOINT_PAGES: Final = 500
"""Pages of SQLite's own log after which it is written into the file."""

LOG_BYTES_OF_GONE_ROW: Final = 16 * 1024
"""Bytes of log for each row of the file that may be gone before such rows are deleted: 512 rows, which takes 5 ms."""

_LOG_KEY: Final = "log"
"""Under which the file names its log, by id and generation; not there when the file stands alone."""

_FENCE_KEY: Final = "fence"

_READ_META: Final = "SELECT value FROM meta WHERE key = ?"
_WRITE_META: Final = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"


class SqliteStore:
    """One instance's file and its log. Not safe for two threads at once: its host uses it from one.

    Raises `StoreInUse` when another process holds the file, `StoreFenced` when a later owner has it, else `StoreFailed`
    when it cannot be opened or written.
    """

    BODY_BYTES_MAX: Final = 400_000_000
    """Largest body that fits: SQLite keeps values of up to a billion bytes, and the reply of a RECEIVE is one value."""

    def __init__(
        self,
        path: Path,
        instance: InstanceName,
        fence: FencingNumber | None = None,
        *,
        log_bytes: int = LOG_BYTES_MAX,
        events_kept: int = EVENTS_KEPT,
    ) -> None:
        """`fence` is the owner's number from the book of leases; None locks the log instead."""
        self._events_kept = events_kept
        self._instance = instance
        self._path = path
        self._fence = fence
        self._trouble = ""
        """Why nothing can be done with the store any more; empty while it can."""
        self._gone_rows_min = 1 + log_bytes // LOG_BYTES_OF_GONE_ROW
        with self._guarded():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._log = LogFile(path, log_bytes)
            try:
                self._take_over()
            except BaseException:
                self._log.close()
                raise

    # ── the port ─────────────────────────────────────────────────────────────────────────────────────────────────
    def load(self, *, in_spans: bool = False) -> InstanceState:
        """Everything kept so far; the databases come from the file while they are read."""
        with self._owned():
            self._fold()
            catalog = self._catalog()
        databases = self._databases(list(catalog.databases), in_spans=in_spans)
        return InstanceState(catalog=catalog, databases=databases, last_event=EventSequence(self._events.last))

    def _databases(self, names: Sequence[DatabaseName], *, in_spans: bool) -> Iterator[DatabaseRows]:
        with self._guarded():
            yield from read_databases(self._connection, names, in_spans=in_spans)

    def transmission_rows(
        self, database: DatabaseName, conversation_handle: ConversationHandle, first: int
    ) -> Sequence[TransmissionRow]:
        """Committed messages of a conversation from the number `first` on, as many as are read at once."""
        handle = id_bytes(conversation_handle)
        with self._guarded():
            recent = portion(
                TRANSMISSION.parse(record)[1] for record in self._unfolded.waiting(database, handle, first)
            )
            if recent or self._unfolded.has_trimmed(database, handle, first):
                return numbered_from(first, recent)
            return read_transmission(self._connection, database, conversation_handle, first)

    def queue_rows(self, database: DatabaseName, queuing_orders: Sequence[int]) -> Sequence[QueueRow]:
        """Committed messages of queues at these places, as many as are read at once."""
        if self._unfolded.differs_from_rows_of_file:
            with self._owned():
                self._fold()
        recent = self._unfolded.queued
        with self._guarded():
            if self._unfolded.file_has_queued(database, queuing_orders[0]):
                return read_messages(self._connection, database, queuing_orders)
            records = (recent(database, order) for order in queuing_orders)
            return at_places(queuing_orders, portion(QUEUES.parse(each)[1] for each in records if each is not None))

    def reply_of(self, command_id: CommandId) -> Reply | None:
        """The stored reply of a command that was seen before."""
        with self._guarded():
            return self._replies.of(command_id)

    def commit(self, changes: Sequence[StateChange], events: Sequence[BrokerEvent]) -> EventSequence:
        """Make all of it durable at once; answer the number of the first event."""
        first = EventSequence(self._events.last + 1)
        entries = [entry_of(change) for change in changes if type(change) is not PutCommandReply]
        remembered = [change for change in changes if type(change) is PutCommandReply]
        replies = self._replies.entry(remembered) if remembered else None
        if replies is not None:
            entries.append(replies)
        if events:
            entries.append(self._events.entry(events))
        with self._owned():
            self._write(entries)
        if replies is not None:
            self._replies.committed(replies)
        self._events.committed(len(events))
        return first

    def events_after(self, sequence: EventSequence, limit: int) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        with self._guarded():
            return self._events.after(sequence, limit)

    def close(self) -> None:
        """Fold the log into the file, where nobody else has it yet, and let go of both; harmless when closed."""
        if self._log.is_closed:
            return
        try:
            with suppress(StoreFailed), self._owned():
                self._fold()
                self._part()
        finally:
            self._log.close()
            self._connection.close()

    # ── notes of the host, no part of the instance's state ───────────────────────────────────────────────────────
    def read_note(self, key: str) -> str | None:
        """What was written under `key`."""
        with self._guarded():
            return self._meta(key)

    def write_note(self, key: str, value: str) -> None:
        """Keep `value` under `key`, durably."""
        with self._owned():
            self._connection.execute(_WRITE_META, (key, value))

    # ── log and file ─────────────────────────────────────────────────────────────────────────────────────────────
    def _write(self, entries: Sequence[Entry]) -> None:
        """Append to the log, or fold with what it holds where it is too large for it: whole or not at all."""
        payload = encode(entries)
        self._delete_gone()
        is_logged = self._log.has_room(len(payload))
        if not is_logged:
            self._fold()
            is_logged = self._log.has_room(len(payload))
        try:
            self._unfolded.take(entries)
            if is_logged:
                self._log.append(payload)
            else:
                self._fold()
        except BaseException:
            self._undo()
            raise

    def _delete_gone(self) -> None:
        """Take from the file what the log says is gone, before it becomes so much that the fold is noticed."""
        statements = self._unfolded.gone(self._gone_rows_min)
        if not statements:
            return
        with _transaction(self._connection):
            for statement, records in statements:
                self._connection.executemany(statement, records)
        self._unfolded.forget_gone()

    def _fold(self) -> None:
        """Bring the file up to date in one transaction; with it the log begins another generation."""
        if self._log.is_empty and self._unfolded.is_empty:
            return
        with self._next_generation():
            for statement, records in (self._events.trimming(), self._replies.trimming()):
                self._connection.executemany(statement, records)

    @contextmanager
    def _next_generation(self) -> Iterator[None]:
        """Fold, and what is done inside, as one transaction."""
        generation = self._generation + 1
        try:
            with _transaction(self._connection):
                for statement, records in self._unfolded.statements():
                    self._connection.executemany(statement, records)
                yield
                self._connection.execute(_WRITE_META, (_LOG_KEY, f"{self._log.log_id} {generation}"))
        except BaseException:
            self._log.distrust()
            raise
        self._begin(generation)

    def _begin(self, generation: int) -> None:
        self._generation = generation
        self._log.rewind(generation)
        self._unfolded.folded()

    def _undo(self) -> None:
        """Have what the log holds and nothing else, after a commit that failed.

        Where the log cannot be read nothing is known for sure any more: nothing may be folded, and so not be
        overwritten, until it can be read; whoever opens the store next reads it.
        """
        try:
            self._unfolded.become(self._read_log())
        except BaseException as error:
            self._trouble = f"after a failed commit the log could not be read again ({error}); open the store anew"
            raise

    def _read_log(self) -> Unfolded:
        """What the log holds of the current generation, as if it was committed just now."""
        found = Unfolded(SqliteRows(self._connection))
        for payload in self._log.records(self._generation):
            found.take(decode(payload))
        return found

    def _take_over(self) -> None:
        """Have the file and the log: from here on no earlier owner commits anything."""
        self._log.take(0 if self._fence is None else TAKE_OVER_SECONDS)
        self._connection = _open(self._path, self._fence)
        try:
            self._opened = self._path.stat()
            self._recover()
        except BaseException:
            self._connection.close()
            raise
        if self._fence is not None:
            self._log.unlock()

    def _recover(self) -> None:
        if self._fence is not None:
            self._log.refuse_earlier(self._fence)
            if (found := int(self._meta(_FENCE_KEY) or 0)) > self._fence:
                raise StoreFenced(f"owner {self._fence} was followed by owner {found}")
        self._unfolded = Unfolded(SqliteRows(self._connection))
        named = self._meta(_LOG_KEY)
        self._generation = 0
        if named is not None:
            identity, _, generation = named.partition(" ")
            if str(self._log.log_id) != identity:
                name = self._path.name
                raise StoreFailed(
                    f"{name}: {name}{LOG_SUFFIX}, which has what was committed last, is not there. Put it back beside "
                    "the file, or restore both from the same backup"
                )
            self._generation = int(generation)
            self._unfolded = self._read_log()
        with self._log.headed(self._fence, anew=named is None), self._next_generation():
            if self._fence is not None:
                self._connection.execute(_WRITE_META, (_FENCE_KEY, str(self._fence)))
        self._events = EventLog(self._connection, self._unfolded, self._events_kept)
        self._replies = ReplyLog(self._connection, self._unfolded)

    def _part(self) -> None:
        """Have the file stand alone: without its log, too, it is whole."""
        self._connection.execute("DELETE FROM meta WHERE key = ?", (_LOG_KEY,))
        self._log.shrink()

    @property
    def is_in_place(self) -> bool:
        """Whether file and log still have their names; else what is committed is gone with the process."""
        return self._log.is_in_place and is_file_of(self._path, self._opened)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _catalog(self) -> InstanceCatalog:
        body: Any = self._connection.execute("SELECT body FROM catalog").get
        return InstanceCatalog(name=self._instance) if body is None else binary_catalog_decoder.decode(body)

    def _meta(self, key: str) -> str | None:
        found: Any = self._connection.execute(_READ_META, (key,)).get
        return None if found is None else str(found)

    @contextmanager
    def _owned(self) -> Iterator[None]:
        """As the owner, whom nobody follows meanwhile; `StoreFenced` when somebody has."""
        with self._guarded():
            if self._fence is None:
                yield
                return
            self._log.lock(COMMIT_SECONDS)
            try:
                self._log.refuse_earlier(self._fence)
                yield
            finally:
                self._log.unlock()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Every way in which SQLite, the disk or the content of the file can fail, as one error with the reason."""
        name = self._path.name
        if self._trouble:
            raise StoreFailed(f"{name}: {self._trouble}")
        try:
            yield
        except apsw.BusyError as error:
            raise StoreInUse(f"{name} is in use by another process") from error
        except (apsw.Error, OSError, msgspec.MsgspecError) as error:
            if is_without_room(error, self._path.parent):
                raise StoreFailed(f"{name}: {full_disk(self._path.parent)}") from error
            raise StoreFailed(f"{name}: {error}") from error


def _open(path: Path, fence: FencingNumber | None) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        connection.convert_binding = bind
        if fence is not None:
            connection.set_busy_timeout(round(1000 * TAKE_OVER_SECONDS))
        else:
            connection.pragma("locking_mode", "EXCLUSIVE")
        connection.pragma("journal_mode", "WAL")
        connection.pragma("synchronous", "FULL")
        connection.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        # Takes the lock, which exclusive mode never gives back, and finds out whether the file is one of SQLite.
        connection.execute("BEGIN IMMEDIATE; COMMIT")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _transaction(connection: apsw.Connection) -> Iterator[None]:
    """All of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself; a second rollback would hide the reason.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
