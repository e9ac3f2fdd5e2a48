"""Pictures of conversation endpoints: exact sums, and rows found by state, handle, or from either end of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.pictures import (
    ClosedKind,
    ConversationOrder,
    ConversationsPicture,
    ConversationsQuery,
    ConversationSums,
    PictureRow,
    Unchanged,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.freezing import end_of_life
from engine.core.pictures.asked import Asked
from engine.core.pictures.table import Readers, rows_max_of, table
from engine.core.system_views.conversation_views import CONVERSATION_ENDPOINTS
from engine.core.system_views.definition import NULL, Column
from engine.core.transmission.waiting_line import EndpointKey
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName
from engine.core.vocabulary.limits import PICTURE_EXAMINED_MAX
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState

_CLOSED: Final = ConversationState.CLOSED

_TABLE: Final = table(
    CONVERSATION_ENDPOINTS,
    Column[DialogEndpoint]("service_name", "sysname", "local service", lambda _, each: each.row.service),
    Column[DialogEndpoint]("service_contract_name", "sysname", "contract", lambda _, each: each.row.contract),
    Column[DialogEndpoint]("waiting_messages", "bigint", "of it for transmission", lambda _, each: len(each.sender)),
    Column[DialogEndpoint](
        "transmission_status_number", "int", "why they wait", lambda _, each: each.status.number, NULL
    ),
    Column[DialogEndpoint](
        "ends_at",
        "datetime",
        "UTC, when it expires or, being closed, is dropped",
        lambda reader, each: end_of_life(each.row, reader.broker.settings.dialog),
        NULL,
    ),
    first=(Column[DialogEndpoint]("database_name", "sysname", "database", lambda _, each: each.database),),
)


def conversations_picture(asked: Asked, query: ConversationsQuery) -> ConversationsPicture | Unchanged:
    """The endpoints of a database or of all, or those that have changed since; 911, 10744."""
    broker, rows_max = asked.broker, rows_max_of(query.rows_max)
    databases = asked.databases(query.database)
    touched = asked.since(query, lambda journal, since: journal.conversations(since, rows_max))
    if touched is not None and not touched:
        return asked.unchanged()
    filters = _Filters(asked, query)
    sums = tuple(sums_of(broker, name, asked.at) for name in databases)
    rows: list[PictureRow] = []
    gone: list[str] = []
    has_more = False
    if touched is not None:
        for key in touched:
            endpoint = broker.conversations.look_at(key) if key[0] in databases else None
            if endpoint is not None and filters.admit(endpoint):
                rows.append(_row(asked.readers, endpoint))
            else:
                gone.append(_key(key))
    else:
        rows, has_more = _first_rows(asked, query, filters, rows_max)
    total = filters.total(sums)
    return ConversationsPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=touched is None,
        columns=_TABLE.columns if touched is None else (),
        rows=tuple(rows),
        gone=tuple(gone),
        has_more=has_more if total is None else total > rows_max,
        total=total,
        sums=sums,
    )


def sums_of(broker: Broker, database: DatabaseName, at: UtcTime) -> ConversationSums:
    """How many endpoints a database has, by state, and what its closed ones wait for."""
    tally = broker.conversation_tally.of(database)
    retained, overdue, leaked = tally.closed.at(at)
    return ConversationSums(
        database=database,
        total=broker.conversations.total(database),
        by_state=dict(tally.by_state),
        closed={ClosedKind.RETAINED: retained, ClosedKind.OVERDUE: overdue, ClosedKind.LEAKED: leaked},
    )


def closed_kind(endpoint: DialogEndpoint, guard_seconds: float, at: UtcTime) -> ClosedKind:
    """What a CLOSED endpoint waits for at a whole second; told of one as `ClosedCounts` counts all."""
    row = endpoint.row
    if row.security_timestamp > 0:
        return ClosedKind.OVERDUE if row.security_timestamp <= at else ClosedKind.RETAINED
    if row.lifetime > at:
        return ClosedKind.LEAKED
    return ClosedKind.OVERDUE if row.lifetime + guard_seconds <= at else ClosedKind.RETAINED


class _Filters:
    """WHERE of a query."""

    def __init__(self, asked: Asked, query: ConversationsQuery) -> None:
        self._query = query
        self._states = frozenset((_CLOSED,) if query.closed is not None else query.states)
        self._guard = asked.broker.settings.dialog.closed_target_guard_seconds
        self._at = asked.at
        self._text = query.text.casefold()

    @property
    def states(self) -> frozenset[ConversationState]:
        """Those that are wanted; none are all."""
        return self._states

    def admit(self, endpoint: DialogEndpoint) -> bool:
        """Whether an endpoint passes."""
        row, query = endpoint.row, self._query
        return (
            (not self._states or row.state in self._states)
            and (query.closed is None or closed_kind(endpoint, self._guard, self._at) is query.closed)
            and query.service in (None, row.service)
            and query.far_service in (None, row.far_service)
            and query.conversation_handle in (None, row.conversation_handle)
            and (not self._text or self._has_text(endpoint))
        )

    def _has_text(self, endpoint: DialogEndpoint) -> bool:
        row = endpoint.row
        names = (row.service, row.far_service, row.contract)
        ids = (row.conversation_handle, row.conversation_id, row.conversation_group_id)
        return any(self._text in name.casefold() for name in names) or any(self._text in str(each) for each in ids)

    def total(self, sums: Iterable[ConversationSums]) -> int | None:
        """How many pass, where the sums tell."""
        query = self._query
        if query.text or query.conversation_handle or query.service is not None or query.far_service is not None:
            return None
        if query.closed is not None:
            return sum(each.closed[query.closed] for each in sums)
        if not self._states:
            return sum(each.total for each in sums)
        return sum(each.by_state.get(state, 0) for each in sums for state in self._states)


def _first_rows(
    asked: Asked, query: ConversationsQuery, filters: _Filters, rows_max: int
) -> tuple[list[PictureRow], bool]:
    """The first rows that pass in the order of the query, and whether there may be more."""
    candidates = _candidates(asked, query, filters)
    found: list[PictureRow] = []
    for examined, endpoint in enumerate(candidates):
        if len(found) >= rows_max or examined >= PICTURE_EXAMINED_MAX:
            return found, True
        if filters.admit(endpoint):
            found.append(_row(asked.readers, endpoint))
    return found, False


def _candidates(asked: Asked, query: ConversationsQuery, filters: _Filters) -> Iterator[DialogEndpoint]:
    broker, names = asked.broker, asked.databases(query.database)
    table = broker.conversations
    if query.conversation_handle is not None:
        looked = (table.look_at((name, query.conversation_handle)) for name in names)
        return (each for each in looked if each is not None)
    is_newest = query.order is ConversationOrder.NEWEST
    known = [(name, broker.conversation_tally.of(name).handles(state)) for name in names for state in filters.states]
    if known and all(handles is not None for _, handles in known):
        return _in_their_states(broker, known, is_newest=is_newest)
    return table.look_back(query.database) if is_newest else table.look(query.database)


def _in_their_states(
    broker: Broker,
    known: Iterable[tuple[DatabaseName, dict[int, ConversationHandle] | None]],
    *,
    is_newest: bool,
) -> Iterator[DialogEndpoint]:
    for name, handles in known:
        if handles is not None:
            for handle in reversed(handles.values()) if is_newest else handles.values():
                endpoint = broker.conversations.look_at((name, handle))
                if endpoint is not None:
                    yield endpoint


def _row(readers: Readers, endpoint: DialogEndpoint) -> PictureRow:
    return _TABLE.row(_key(endpoint.key), readers[endpoint.database], endpoint)


def _key(key: EndpointKey) -> str:
    return f"{key[1]} {key[0]}"
