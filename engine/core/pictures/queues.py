"""Pictures of queues with their monitors, readers and poison (views.md 1, 2; protocol.md 14, 17)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from engine.core.catalog.objects import Queue
from engine.core.exchange.pictures import PictureRow, QueuesPicture, QueuesQuery, Unchanged
from engine.core.exchange.system_views import Cell
from engine.core.exchange.views import QueuePoisonView
from engine.core.pictures.asked import Asked
from engine.core.pictures.journal import QueuePlace
from engine.core.pictures.table import Table, joined, rows_max_of
from engine.core.queues.monitor import ActivationFailure, QueueMonitor
from engine.core.queues.queue import ServiceQueue
from engine.core.system_views.catalog_views import SERVICE_QUEUES
from engine.core.system_views.definition import NULL, CellOf, Column
from engine.core.system_views.reading import ViewReader
from engine.core.system_views.runtime_views import BROKER_QUEUE_MONITORS
from engine.core.vocabulary.identifiers import DatabaseName


class _Queue(NamedTuple):
    """A queue as it is defined, what is in it, and what watches it."""

    definition: Queue
    messages: ServiceQueue
    monitor: QueueMonitor | None
    readers: int
    poison: QueuePoisonView | None
    failure: ActivationFailure | None


def _of_poison(read: Callable[[QueuePoisonView], Cell]) -> CellOf[_Queue]:
    return lambda _, each: None if each.poison is None else read(each.poison)


def _of_failure(read: Callable[[ActivationFailure], Cell]) -> CellOf[_Queue]:
    return lambda _, each: None if each.failure is None else read(each.failure)


def _monitored(reader: ViewReader, each: _Queue) -> tuple[ViewReader, QueueMonitor] | None:
    return None if each.monitor is None else (reader, each.monitor)


_COLUMNS: Final[tuple[Column[Any], ...]] = (
    Column[_Queue]("ready", "bigint", "messages with status 1", lambda _, each: each.messages.ready),
    Column[_Queue]("not_complete", "bigint", "messages with status 2", lambda _, each: each.messages.disabled),
    Column[_Queue](
        "retained",
        "bigint",
        "messages with status 0 and 3",
        lambda _, each: len(each.messages) - each.messages.ready - each.messages.disabled,
    ),
    Column[_Queue]("awaiting", "bigint", "came while it was off", lambda _, each: each.messages.awaiting),
    Column[_Queue]("active_tasks", "int", "readers that run", lambda _, each: each.readers),
    Column[_Queue]("poisoned_at", "datetime", "UTC, poison messages", _of_poison(lambda poison: poison.at), NULL),
    Column[_Queue]("poison_rollbacks", "int", "in a row", _of_poison(lambda poison: poison.rollbacks), NULL),
    Column[_Queue](
        "poison_conversation_handle",
        "uniqueidentifier",
        "of the message",
        _of_poison(lambda poison: poison.conversation_handle),
        NULL,
    ),
    Column[_Queue](
        "poison_message_type_name", "sysname", "its type", _of_poison(lambda poison: poison.message_type_name), NULL
    ),
    Column[_Queue](
        "poison_message_sequence_number",
        "bigint",
        "its number",
        _of_poison(lambda poison: poison.message_sequence_number),
        NULL,
    ),
    Column[_Queue](
        "activation_failed_at",
        "datetime",
        "UTC, the last reader that was aborted",
        _of_failure(lambda each: each.at),
        NULL,
    ),
    Column[_Queue]("activation_error", "int", "of that reader", _of_failure(lambda each: each.number), NULL),
    Column[_Queue]("activation_error_text", "nvarchar(4000)", "in words", _of_failure(lambda each: each.text), NULL),
)

_TABLE: Final[Table[_Queue]] = joined(
    (
        Column[_Queue]("database_name", "sysname", "database", lambda reader, _: reader.database.name),
        Column[_Queue]("queue_name", "sysname", "name with its schema", lambda _, each: each.definition.name),
    ),
    ((SERVICE_QUEUES, lambda _, each: each.definition), (BROKER_QUEUE_MONITORS, _monitored)),
    _COLUMNS,
)


def queues_picture(asked: Asked, query: QueuesQuery) -> QueuesPicture | Unchanged:
    """The queues of a database or of all, or those to which something has happened since; 911, 10744."""
    rows_max, names = rows_max_of(query.rows_max), asked.databases(query.database)
    touched = asked.since(query, lambda journal, since: journal.queues(since))
    if touched is not None and not touched:
        return asked.unchanged()
    rows: list[PictureRow] = []
    for name, queue in _wanted(asked, names, touched):
        if len(rows) >= rows_max:
            if touched is not None:
                return queues_picture(asked, QueuesQuery(database=query.database, rows_max=query.rows_max))
            break
        rows.append(_row(asked, name, queue))
    total = sum(len(asked.broker.catalog.databases[name].queues) for name in names)
    return QueuesPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=touched is None,
        columns=_TABLE.columns if touched is None else (),
        rows=tuple(rows),
        has_more=total > rows_max,
        total=total,
    )


def _wanted(
    asked: Asked, names: list[DatabaseName], touched: set[QueuePlace] | None
) -> Iterator[tuple[DatabaseName, Queue]]:
    for name in names:
        for queue in asked.broker.catalog.databases[name].queues.values():
            if touched is None or (name, queue.name) in touched or (name, None) in touched:
                yield name, queue


def _row(asked: Asked, database: DatabaseName, queue: Queue) -> PictureRow:
    broker = asked.broker
    each = _Queue(
        queue,
        broker.queue(database, queue.name),
        broker.activity.monitor(database, queue.name),
        broker.activity.readers_of((database, queue.name.casefold())),
        broker.poison.cause(database, queue.name),
        broker.activity.failures.get((database, queue.name.casefold())),
    )
    return _TABLE.row(f"{queue.name} {database}", asked.readers[database], each)
