"""`Unfolded`: what stands in the log and not yet in the file, as its net effect.

A message that is sent, acknowledged and trimmed between two folds never reaches the file. Whoever reads rows asks here
first: what is found here is newer than the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Protocol

from engine.core.vocabulary.identifiers import DatabaseName
from engine.storage.commit_log.entries import Entry, EntryKind
from engine.storage.errors import StoreFailed
from engine.storage.records import DEPARTED, ENDPOINTS, QUEUES, TRANSMISSION

Statement = tuple[str, Sequence[Sequence[Any]]]
"""SQL and the values of each time that it is carried out."""

SPARED_QUESTIONS_MAX: Final = 200_000
"""Conversations of which it is remembered that the file has no message waiting: 130 bytes each."""

_OWNERS: Final = 2
"""Leading values of a message's record: database and queue."""

_DROP_ENDPOINT: Final = "DELETE FROM conversation_endpoints WHERE database_name = ? AND conversation_handle = ?"
_TRIM_TRANSMISSION: Final = (
    "DELETE FROM transmission_queue"
    " WHERE database_name = ? AND conversation_handle = ? AND message_sequence_number <= ?"
)
_REMOVE_QUEUE: Final = "DELETE FROM queue_messages WHERE queuing_order = ? AND database_name = ? AND queue_name = ?"
_DROP_DEPARTED: Final = (
    "DELETE FROM departed_sessions WHERE conversation_id = ? AND is_initiator = ? AND database_name = ?"
)
_PUT_CATALOG: Final = "INSERT OR REPLACE INTO catalog (id, revision, body) VALUES (1, ?, ?)"
_PUT_EVENTS: Final = "INSERT INTO event_batches (first, count, events) VALUES (?, ?, ?)"
_PUT_REPLIES: Final = "INSERT INTO reply_batches (id, command_ids, replies, replied_at) VALUES (?, ?, ?, ?)"

_TABLES: Final = ("conversation_endpoints", "transmission_queue", "queue_messages", "departed_sessions")

_HANDLE_OF_ENDPOINT: Final = 1 + ENDPOINTS.fields.index("conversation_handle")
_HANDLE_OF_WAITING: Final = 1 + TRANSMISSION.fields.index("conversation_handle")
_NUMBER_OF_WAITING: Final = 1 + TRANSMISSION.fields.index("message_sequence_number")
_ORDER_OF_QUEUED: Final = _OWNERS + QUEUES.fields.index("queuing_order")


class FileRows(Protocol):
    """What the file has, asked only where an entry may meet it."""

    def has_waiting(self, database: str, handle: bytes, number: int) -> bool:
        """Whether a message of a conversation waits for transmission."""
        ...

    def last_waiting(self, database: str, handle: bytes) -> int:
        """Number of the last message of a conversation that waits for transmission; -1 when there is none."""
        ...

    def queue_at(self, database: str, queuing_order: int) -> str | None:
        """The queue of the database that has a message at this place; None when none has."""
        ...

    def last_place(self) -> int:
        """The last place at which a queue of any database has a message; -1 when there is none."""
        ...


class _Waiting:
    """Messages of one conversation, by number; numbers ascend."""

    __slots__ = ("is_in_file", "last", "lowest", "rows", "trimmed")

    def __init__(self, last_in_file: int) -> None:
        self.is_in_file = last_in_file >= 0
        """Whether the file may have messages of the conversation, too."""
        self.last = last_in_file
        """The last number here or in the file: nothing is behind it."""
        self.lowest = 0
        self.trimmed = -1
        """The number up to which nothing waits any more."""
        self.rows: dict[int, Sequence[Any]] = {}

    def put_behind(self, number: int, record: Sequence[Any]) -> None:
        """Add a message that comes behind all others."""
        if not self.rows:
            self.lowest = number
        self.last = number
        self.rows[number] = record

    def put_between(self, number: int, record: Sequence[Any]) -> None:
        """Add a message that does not come behind all others."""
        self.lowest = min(self.lowest, number) if self.rows else number
        self.rows = dict(sorted({**self.rows, number: record}.items()))


class Unfolded:
    """Not responsible for durability: `take` entries as they go to the log, say when they are `folded`."""

    def __init__(self, file: FileRows) -> None:
        self._file = file
        self._last_place: int | None = None
        """At which a message was ever put, so that the file need not be asked about a later one."""
        self._nothing_waits: dict[str, set[bytes]] = {}
        """By database, conversations of which the file is known to have no message: it need not be asked."""
        self.forget()

    def folded(self) -> None:
        """All of it is in the file."""
        for (database, handle), waiting in self._waiting.items():
            if waiting.trimmed >= waiting.last:
                self._nothing_waits.setdefault(database, set()).add(handle)
        if sum(map(len, self._nothing_waits.values())) > SPARED_QUESTIONS_MAX:
            self._nothing_waits.clear()
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self._endpoints: dict[tuple[str, bytes], Sequence[Any]] = {}
        self._dropped: dict[tuple[str, bytes], None] = {}
        self._waiting: dict[tuple[str, bytes], _Waiting] = {}
        self._trimmed: dict[tuple[str, bytes], int] = {}
        self._trimmed_rows = 0
        self._queued: dict[tuple[str, int], Sequence[Any]] = {}
        self._removed: dict[tuple[int, str, str], None] = {}
        self._in_order: list[tuple[str, Statement]] = []
        self._dropped_databases: dict[str, None] = {}
        self._catalog: Sequence[Any] | None = None
        self._has_changed_rows_of_file = False
        self.events: list[Sequence[Any]] = []
        """Number of the first, how many, and the events themselves, encoded: of each commit."""
        self.replies: dict[int, Sequence[Any]] = {}
        """Row, numbers of the commands, replies, time: of each commit, by row."""

    def become(self, other: Unfolded) -> None:
        """Hold what the other one holds, which is used no more: those who ask here need not learn of another."""
        self._file = other._file
        self._last_place = other._last_place
        self._nothing_waits = other._nothing_waits
        self._endpoints = other._endpoints
        self._dropped = other._dropped
        self._waiting = other._waiting
        self._trimmed = other._trimmed
        self._trimmed_rows = other._trimmed_rows
        self._queued = other._queued
        self._removed = other._removed
        self._in_order = other._in_order
        self._dropped_databases = other._dropped_databases
        self._catalog = other._catalog
        self._has_changed_rows_of_file = other._has_changed_rows_of_file
        self.events = other.events
        self.replies = other.replies

    def take(self, entries: Sequence[Entry]) -> None:
        """Obey the entries of a commit, as made from changes or as read back from the log.

        Raises `StoreFailed` for a message that is there already; what was taken before it stays taken.
        """
        for entry in entries:
            _TAKERS[entry[0]](self, *entry[1:])

    def statements(self) -> Iterator[Statement]:
        """What brings the file up to date, in this order, within one transaction."""
        for table in _TABLES:
            yield f"DELETE FROM {table} WHERE database_name = ?", [(name,) for name in self._dropped_databases]  # noqa: S608
        if self._catalog is not None:
            yield _PUT_CATALOG, [self._catalog]
        yield _DROP_ENDPOINT, list(self._dropped)
        yield ENDPOINTS.insert, list(self._endpoints.values())
        yield from (statement for _, statement in self._in_order)
        yield from self._gone_rows()
        yield TRANSMISSION.insert, [record for waiting in self._waiting.values() for record in waiting.rows.values()]
        yield QUEUES.insert, list(self._queued.values())
        yield _PUT_EVENTS, self.events
        yield _PUT_REPLIES, list(self.replies.values())

    def gone(self, rows_min: int) -> Sequence[Statement]:
        """What deletes rows of the file that are gone, once they are so many; `forget_gone` when it is done.

        The log still tells of it: to delete them again changes nothing. So a fold does not have to delete at once what
        went one by one.
        """
        if len(self._removed) + self._trimmed_rows < rows_min:
            return ()
        return list(self._gone_rows())

    def forget_gone(self) -> None:
        """What `gone` tells is not in the file any more."""
        self._trimmed, self._trimmed_rows = {}, 0
        self._removed = {}

    def _gone_rows(self) -> Iterator[Statement]:
        yield _TRIM_TRANSMISSION, [(*key, through) for key, through in self._trimmed.items()]
        yield _REMOVE_QUEUE, list(self._removed)

    def waiting(self, database: DatabaseName, handle: bytes, first: int) -> Iterator[Sequence[Any]]:
        """Records of a conversation's messages from a number on, without holes; none when the file has the first."""
        waiting = self._waiting.get((database, handle))
        number = first
        while waiting is not None and (record := waiting.rows.get(number)) is not None:
            yield record
            number += 1

    def queued(self, database: DatabaseName, queuing_order: int) -> Sequence[Any] | None:
        """The record of a message in a queue; None when the file has it."""
        return self._queued.get((database, queuing_order))

    def has_trimmed(self, database: DatabaseName, handle: bytes, number: int) -> bool:
        """Whether a message that the file may still have is gone."""
        return number <= self._trimmed.get((database, handle), -1)

    def file_has_queued(self, database: str, queuing_order: int) -> bool:
        """Whether the file has a message of a queue that is not gone meanwhile."""
        if database in self._dropped_databases:
            return False
        queue = self._file.queue_at(database, queuing_order)
        return queue is not None and (queuing_order, database, queue) not in self._removed

    @property
    def is_empty(self) -> bool:
        """Whether the file is up to date."""
        return not any(records for _, records in self.statements())

    @property
    def differs_from_rows_of_file(self) -> bool:
        """Whether a message that the file has was changed since: then it must be folded before one is read."""
        return self._has_changed_rows_of_file

    # ── entries ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _put_endpoint(self, record: Sequence[Any]) -> None:
        self._endpoints[(record[0], record[_HANDLE_OF_ENDPOINT])] = ENDPOINTS.completed(record)

    def _drop_endpoint(self, database: str, handle: bytes) -> None:
        self._endpoints.pop((database, handle), None)
        self._dropped[(database, handle)] = None

    def _append_transmission(self, record: Sequence[Any]) -> None:
        key = (record[0], record[_HANDLE_OF_WAITING])
        number = record[_NUMBER_OF_WAITING]
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = _Waiting(self._last_waiting(*key))
        if number > waiting.last:
            waiting.put_behind(number, record)
        elif number in waiting.rows or self._file_has_waiting(key, number):
            raise StoreFailed(f"message {number} of its conversation is there already")
        else:
            waiting.put_between(number, record)

    def _last_waiting(self, database: str, handle: bytes) -> int:
        spared = self._nothing_waits.get(database)
        if spared is not None and handle in spared:
            spared.remove(handle)
            return -1
        return self._file.last_waiting(database, handle)

    def _trim_transmission(self, database: str, handle: bytes, through: int) -> None:
        key = (database, handle)
        waiting = self._waiting.get(key)
        if waiting is None or waiting.is_in_file:
            self._trim_file(key, through)
        if waiting is None:
            return
        waiting.trimmed = max(waiting.trimmed, through)
        if not waiting.rows:
            return
        if next(reversed(waiting.rows)) <= through:
            waiting.rows.clear()
            return
        for number in range(waiting.lowest, through + 1):
            waiting.rows.pop(number, None)
        waiting.lowest = max(waiting.lowest, through + 1)

    def _trim_file(self, key: tuple[str, bytes], through: int) -> None:
        before = self._trimmed.get(key)
        # How many the file has is not asked: the first trim of a conversation is taken for one row.
        self._trimmed_rows += 1 if before is None else max(through - before, 0)
        self._trimmed[key] = through if before is None else max(through, before)

    def _append_queue(self, record: Sequence[Any]) -> None:
        key = (record[0], record[_ORDER_OF_QUEUED])
        if self._last_place is None:
            self._last_place = self._file.last_place()
        if key[1] > self._last_place:
            self._last_place = key[1]
        elif key in self._queued or self.file_has_queued(*key):
            raise StoreFailed(f"place {key[1]} of the queues is taken already")
        self._queued[key] = record

    def _remove_queue(self, database: str, queue: str, orders: Sequence[int]) -> None:
        for order in orders:
            record = self._queued.get((database, order))
            if record is None:
                self._removed[(order, database, queue)] = None
            elif record[1] == queue:
                del self._queued[(database, order)]

    def _set_queue_rows(self, database: str, queue: str, orders: Sequence[int], column: str, value: object) -> None:
        place = _OWNERS + QUEUES.fields.index(column)
        in_file = []
        for order in orders:
            record = self._queued.get((database, order))
            if record is None:
                in_file.append((value, order, database, queue))
            elif record[1] == queue:
                self._queued[(database, order)] = (*record[:place], value, *record[place + 1 :])
        if in_file:
            self._has_changed_rows_of_file = True
            self._in_order.append((database, (_set_column(column), in_file)))

    def _put_departed(self, record: Sequence[Any]) -> None:
        self._in_order.append((record[0], (DEPARTED.insert, [record])))

    def _drop_departed(self, key: Sequence[Any]) -> None:
        self._in_order.append((key[-1], (_DROP_DEPARTED, [key])))

    def _drop_database(self, database: str) -> None:
        self._dropped_databases[database] = None
        self._in_order = [each for each in self._in_order if each[0] != database]
        by_owner: tuple[dict[Any, Any], ...] = (
            self._endpoints,
            self._dropped,
            self._waiting,
            self._trimmed,
            self._queued,
        )
        for rows in by_owner:
            for key in [key for key in rows if key[0] == database]:
                del rows[key]
        self._removed = {key: None for key in self._removed if key[1] != database}

    def _put_catalog(self, record: Sequence[Any]) -> None:
        self._catalog = record

    def _file_has_waiting(self, key: tuple[str, bytes], number: int) -> bool:
        if key[0] in self._dropped_databases or number <= self._trimmed.get(key, -1):
            return False
        return self._file.has_waiting(*key, number)

    def _events(self, record: Sequence[Any]) -> None:
        self.events.append(record)

    def _replies(self, record: Sequence[Any]) -> None:
        self.replies[record[0]] = record


_TAKERS: Final[tuple[Callable[..., None], ...]] = tuple(
    getattr(Unfolded, f"_{kind.name.lower()}") for kind in EntryKind
)
"""By kind; no bound methods, which would keep a store open that nobody refers to any more."""


def _set_column(column: str) -> str:
    return (
        f"UPDATE queue_messages SET {column} = ?"  # noqa: S608
        " WHERE queuing_order = ? AND database_name = ? AND queue_name = ?"
    )
