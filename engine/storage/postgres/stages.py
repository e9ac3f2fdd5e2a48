"""State changes as few statements: changes of one kind go together wherever nothing between them stands in the way.

The changes of a commit come mixed, an endpoint after each message. What happens to different rows may happen in any
order, so the changes of each table are put into *stages*: within one, kinds happen in a fixed order, and a change that
touches a row which a later kind of the same stage has touched begins the next stage. The result is always that of the
changes one by one; a commit rarely needs a second stage.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropDepartedSession,
    DropEndpoint,
    PutDepartedSession,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.storage.postgres.arrays import Integers, PackedArray, Texts, Truths, Uuids, storable
from engine.storage.postgres.tables import DEPARTED_ROWS, ENDPOINT_ROWS, QUEUE_ROWS, TRANSMISSION_ROWS, Statement

Keys = Callable[[Any], Iterable[Hashable]]
Render = Callable[[Sequence[Any]], Iterable[Statement]]


class _Kind(NamedTuple):
    """How changes of one type become statements."""

    table: int
    rank: int
    """Place within a stage."""
    keys: Keys
    """The rows that a change touches; a whole conversation where it touches a part of one."""
    render: Render
    """Statements for changes of a stage, in their order; of several that set the same, the last one counts."""


# ── which rows ───────────────────────────────────────────────────────────────────────────────────────────────────────
# By the numbers of identifiers: hashing a UUID runs Python code.
def _endpoint_key(change: PutEndpoint) -> Iterable[Hashable]:
    return ((change.database, change.endpoint.conversation_handle.int),)


def _conversation_key(change: DropEndpoint | TrimTransmission) -> Iterable[Hashable]:
    return ((change.database, change.conversation_handle.int),)


def _transmission_key(change: AppendTransmission) -> Iterable[Hashable]:
    return ((change.database, change.row.conversation_handle.int),)


def _session_key(change: PutDepartedSession) -> Iterable[Hashable]:
    return ((change.database, change.session.conversation_id.int, change.session.is_initiator),)


def _side_key(change: DropDepartedSession) -> Iterable[Hashable]:
    return ((change.database, change.conversation_id.int, change.is_initiator),)


def _message_key(change: AppendQueue) -> Iterable[Hashable]:
    return ((change.database, change.row.queuing_order),)


_QueueChange = SetQueueRowStatus | SetQueueRowGroup | AdmitQueueRows | RemoveQueue


def _message_keys(change: _QueueChange) -> Iterable[Hashable]:
    return [(change.database, order) for order in change.queuing_orders]


# ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────────
def _put_endpoints(changes: Sequence[PutEndpoint]) -> Iterable[Statement]:
    last = {(each.database, each.endpoint.conversation_handle.int): each for each in changes}
    return ENDPOINT_ROWS.insert(((each.database,), each.endpoint) for each in last.values())


def _put_departed(changes: Sequence[PutDepartedSession]) -> Iterable[Statement]:
    last = {(each.database, each.session.conversation_id.int, each.session.is_initiator): each for each in changes}
    return DEPARTED_ROWS.insert(((each.database,), each.session) for each in last.values())


def _append_transmission(changes: Sequence[AppendTransmission]) -> Iterable[Statement]:
    return TRANSMISSION_ROWS.insert(((each.database,), each.row) for each in changes)


def _append_queue(changes: Sequence[AppendQueue]) -> Iterable[Statement]:
    return QUEUE_ROWS.insert(((each.database, each.queue), each.row) for each in changes)


Column = tuple[type[PackedArray], Callable[[Any], object]]


def _by_columns(query: str, *columns: Column) -> Render:
    """A statement that takes one value of each change as an element of each array."""
    statement = query.encode()

    def render(changes: Sequence[Any]) -> Iterable[Statement]:
        return [(statement, tuple(array.of([value(each) for each in changes]) for array, value in columns))]

    return render


def _by_orders(query: str, *values: Column) -> Render:
    """The same for changes of messages in a queue: one element for each run of orders, and of each run its ends.

    Queues are emptied from the front, so that the orders of a change are a few long runs.
    """
    statement = query.encode()

    def render(changes: Sequence[_QueueChange]) -> Iterable[Statement]:
        last = {(each.database, order, each.queue): each for each in changes for order in each.queuing_orders}
        found = list(_runs(last))
        yield (
            statement,
            (
                Texts.of([change.database for change, _, _ in found]),
                Texts.of([change.queue for change, _, _ in found]),
                Integers.of([first for _, first, _ in found]),
                Integers.of([end for _, _, end in found]),
                *(array.of([value(change) for change, _, _ in found]) for array, value in values),
            ),
        )

    return render


def _runs(
    changes: Mapping[tuple[DatabaseName, int, QueueName], _QueueChange],
) -> Iterator[tuple[_QueueChange, int, int]]:
    """Orders of one change that follow each other without a hole, as first and last."""
    run: tuple[_QueueChange, int, int] | None = None
    for (_, order, _), change in changes.items():
        if run is not None and run[0] is change and run[2] + 1 == order:
            run = (change, run[1], order)
            continue
        if run is not None:
            yield run
        run = (change, order, order)
    if run is not None:
        yield run


_ROWS_OF_RUN: Final = (
    "message.database_name = run.database AND message.queue_name = run.queue"
    " AND message.queuing_order BETWEEN run.first AND run.last"
)
_UPDATE_RUN: Final = f"WHERE {_ROWS_OF_RUN}"
_ENDPOINTS, _TRANSMISSION, _QUEUES, _DEPARTED = range(4)

_KINDS: Final[dict[type[StateChange], _Kind]] = {
    PutEndpoint: _Kind(_ENDPOINTS, 0, _endpoint_key, _put_endpoints),
    DropEndpoint: _Kind(
        _ENDPOINTS,
        1,
        _conversation_key,
        _by_columns(
            "DELETE FROM conversation_endpoints AS endpoint USING unnest(%b, %b) AS gone (database, handle)"
            " WHERE endpoint.conversation_handle = gone.handle AND endpoint.database_name = gone.database",
            (Texts, lambda change: change.database),
            (Uuids, lambda change: change.conversation_handle),
        ),
    ),
    # Before the rows that are appended: an acknowledgement is for what was there.
    TrimTransmission: _Kind(
        _TRANSMISSION,
        0,
        _conversation_key,
        _by_columns(
            "DELETE FROM transmission_queue AS message USING unnest(%b, %b, %b) AS cut (database, handle, through)"
            " WHERE message.conversation_handle = cut.handle AND message.database_name = cut.database"
            " AND message.message_sequence_number <= cut.through",
            (Texts, lambda change: change.database),
            (Uuids, lambda change: change.conversation_handle),
            (Integers, lambda change: change.through),
        ),
    ),
    AppendTransmission: _Kind(_TRANSMISSION, 1, _transmission_key, _append_transmission),
    AppendQueue: _Kind(_QUEUES, 0, _message_key, _append_queue),
    SetQueueRowStatus: _Kind(
        _QUEUES,
        1,
        _message_keys,
        _by_orders(
            "UPDATE queue_messages AS message SET status = run.status"  # noqa: S608
            f" FROM unnest(%b, %b, %b, %b, %b) AS run (database, queue, first, last, status) {_UPDATE_RUN}",
            (Integers, lambda change: change.status),
        ),
    ),
    SetQueueRowGroup: _Kind(
        _QUEUES,
        2,
        _message_keys,
        _by_orders(
            "UPDATE queue_messages AS message SET conversation_group_id = run.new_group"  # noqa: S608
            f" FROM unnest(%b, %b, %b, %b, %b) AS run (database, queue, first, last, new_group) {_UPDATE_RUN}",
            (Uuids, lambda change: change.conversation_group_id),
        ),
    ),
    AdmitQueueRows: _Kind(
        _QUEUES,
        3,
        _message_keys,
        _by_orders(
            "UPDATE queue_messages AS message SET awaits_queue = false"  # noqa: S608
            f" FROM unnest(%b, %b, %b, %b) AS run (database, queue, first, last) {_UPDATE_RUN}",
        ),
    ),
    RemoveQueue: _Kind(
        _QUEUES,
        4,
        _message_keys,
        _by_orders(
            "DELETE FROM queue_messages AS message"  # noqa: S608
            f" USING unnest(%b, %b, %b, %b) AS run (database, queue, first, last) WHERE {_ROWS_OF_RUN}",
        ),
    ),
    PutDepartedSession: _Kind(_DEPARTED, 0, _session_key, _put_departed),
    DropDepartedSession: _Kind(
        _DEPARTED,
        1,
        _side_key,
        _by_columns(
            "DELETE FROM departed_sessions AS session USING unnest(%b, %b, %b) AS gone (database, conversation, side)"
            " WHERE session.conversation_id = gone.conversation AND session.is_initiator = gone.side"
            " AND session.database_name = gone.database",
            (Texts, lambda change: change.database),
            (Uuids, lambda change: change.conversation_id),
            (Truths, lambda change: change.is_initiator),
        ),
    ),
}

_DROPS: Final = tuple(
    f"DELETE FROM {table} WHERE database_name = %b".encode()  # noqa: S608
    for table in ("conversation_endpoints", "transmission_queue", "queue_messages", "departed_sessions")
)


class _Stage:
    """Changes of one table that have no statement yet."""

    def __init__(self) -> None:
        self._touched: dict[Hashable, int] = {}
        """Of each row the latest kind that touches it, by rank."""
        self._changes: dict[int, tuple[_Kind, list[StateChange]]] = {}

    def take(self, kind: _Kind, change: StateChange) -> bool:
        """Add a change; False when it must come after this stage."""
        touched, rank = self._touched, kind.rank
        keys = list(kind.keys(change))
        if any(touched.get(key, 0) > rank for key in keys):
            return False
        touched.update(dict.fromkeys(keys, rank))
        known = self._changes.get(rank)
        if known is None:
            self._changes[rank] = kind, [change]
        else:
            known[1].append(change)
        return True

    def statements(self) -> Iterator[Statement]:
        """The stage in the order of its kinds; it is empty then."""
        for _, (kind, changes) in sorted(self._changes.items(), key=_rank):
            yield from kind.render(changes)
        self._touched.clear()
        self._changes.clear()


def _rank(entry: tuple[int, object]) -> int:
    return entry[0]


def row_statements(changes: Iterable[StateChange]) -> Iterator[Statement]:
    """What changes of rows come to; other changes, of the catalog and of replies, are passed over."""
    stages = [_Stage() for _ in range(4)]
    for change in changes:
        kind = _KINDS.get(type(change))
        if kind is not None:
            stage = stages[kind.table]
            if not stage.take(kind, change):
                yield from stage.statements()
                stage.take(kind, change)
        elif isinstance(change, DropDatabaseRows):
            for stage in stages:
                yield from stage.statements()
            yield from ((statement, (storable(change.database),)) for statement in _DROPS)
    for stage in stages:
        yield from stage.statements()
