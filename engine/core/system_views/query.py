"""`read_system_view`: one page of a system view by its name."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from engine.core.catalog.builtin import BUILT_IN_QUEUES
from engine.core.catalog.database import CLOSED_TO_COMMANDS, DatabaseCatalog, DatabaseState
from engine.core.catalog.names import find_database, same_name, spelling_in, with_schema
from engine.core.exchange.system_views import Cell, SystemViewQuery, SystemViewRows, ViewColumn
from engine.core.handlers.broker import Broker
from engine.core.handlers.session import transaction_of
from engine.core.link.facts import NetworkFacts
from engine.core.system_views import (
    catalog_views,
    certificate_views,
    conversation_views,
    counter_views,
    database_views,
    endpoint_views,
    runtime_views,
)
from engine.core.system_views.definition import Column, Scope, SystemView
from engine.core.system_views.filtering import RowTest, find_column, row_test, wanted_value
from engine.core.system_views.reading import ViewReader
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import MASTER, QueueName
from engine.core.vocabulary.limits import SYSTEM_VIEW_BODY_BYTES_MAX, SYSTEM_VIEW_EXAMINED_MAX, SYSTEM_VIEW_ROWS_MAX

SYSTEM_VIEWS: Final[tuple[SystemView[Any], ...]] = (
    *catalog_views.VIEWS,
    *database_views.VIEWS,
    *conversation_views.VIEWS,
    *certificate_views.VIEWS,
    *endpoint_views.VIEWS,
    *runtime_views.VIEWS,
    *counter_views.VIEWS,
)
"""Every view but the queues, each of which is one under its own name."""

_BY_NAME: Final = {view.name: view for view in (*SYSTEM_VIEWS, conversation_views.TRANSMISSION_STATUS)}


def read_system_view(
    broker: Broker,
    query: SystemViewQuery,
    network: NetworkFacts | None = None,
) -> SystemViewRows:
    """One page of a view, or of a queue of the database used as one; nothing changes and nothing is kept.

    Names of views and columns are found in any letter case, those of queues with or without `dbo.`. A page ends at
    `rows_max` rows and at the bounds of `limits.py` (rows, rows examined, bytes of bodies), and says where to go on.
    Rows come in the order in which their objects were made. What is dropped between two pages moves the later rows up
    where offsets are counted; those of conversations and groups are places that stay.

    With a `transaction` the rows are those that its own statements have made; it counts as alive from now on.

    Errors: 911 no such database, 3971 no such transaction, 942 and 954 a database that cannot be opened by a query that
    `opens` it, 208 no such view or queue, 207 no such column, 245 a filter's value is not of its column's type, 10742
    negative offset, 10744 no rows asked for.
    """
    if query.offset < 0:
        raise LocalProtocolError(10742, value=query.offset)
    if query.rows_max <= 0:
        raise LocalProtocolError(10744, value=query.rows_max)
    asks = find_database(broker.catalog, MASTER if query.database is None else query.database)
    view = _BY_NAME.get(query.view.lower()) or _queue_view(asks, query.view)
    if view is None:
        raise LocalProtocolError(208, name=query.view, database=asks.name)
    if query.opens and view.scope is Scope.DATABASE:
        _open(asks)
    columns = [find_column(view, name) for name in query.columns] or view.columns
    tests = [row_test(view, each) for each in query.filters]
    own = None if query.transaction is None else transaction_of(broker, query.transaction)
    reader = ViewReader(broker, asks, network, own)
    rows, next_offset = read_page(reader, _from(view, reader, query), query.rows_max, columns, tests)
    return SystemViewRows(
        view=view.name,
        columns=tuple(ViewColumn(name=column.name, type=column.type, nullable=column.nullable) for column in columns),
        rows=rows,
        next_offset=next_offset,
    )


def _open(database: DatabaseCatalog) -> None:
    """What is off-line, or a mirror copy, is not looked into (942, 954)."""
    if database.state in (DatabaseState.OFFLINE, DatabaseState.MIRROR):
        raise LocalProtocolError(CLOSED_TO_COMMANDS[database.state], database=database.name)


def _from(view: SystemView[Any], reader: ViewReader, query: SystemViewQuery) -> Iterator[tuple[int, Any]]:
    """The rows to examine, each with the place after which the next one comes."""
    for each in query.filters:
        column = find_column(view, each.column)
        lookup = view.lookups.get(column.name)
        if lookup is not None:
            return _counted(lookup(reader, wanted_value(view, column, each.value)), query.offset)
    if view.places is None:
        return _counted(view.rows(reader), query.offset)
    place_of = view.places.place_of
    return ((place_of(row), row) for row in view.places.rows_after(reader, query.offset))


def _counted(rows: Iterable[Any], offset: int) -> Iterator[tuple[int, Any]]:
    first = min(offset, sys.maxsize - 1)
    return enumerate(islice(rows, first, None), first + 1)


def read_page(
    reader: ViewReader,
    candidates: Iterable[tuple[int, Any]],
    rows_max: int,
    columns: Sequence[Column[Any]],
    tests: Sequence[RowTest],
) -> tuple[tuple[tuple[Cell, ...], ...], int | None]:
    """Rows, and the offset of the next page. Only what is on the page is ever made."""
    rows: list[tuple[Cell, ...]] = []
    rows_max = min(rows_max, SYSTEM_VIEW_ROWS_MAX)
    place = body_bytes = 0
    for examined, (following, each) in enumerate(candidates):
        if len(rows) >= rows_max or body_bytes > SYSTEM_VIEW_BODY_BYTES_MAX or examined >= SYSTEM_VIEW_EXAMINED_MAX:
            return tuple(rows), place
        place = following
        for test in tests:
            if not test(reader, each):
                break
        else:
            cells = tuple([column.cell(reader, each) for column in columns])
            body_bytes += sum([len(cell) for cell in cells if isinstance(cell, bytes)])
            rows.append(cells)
    return tuple(rows), None


def _queue_view(database: DatabaseCatalog, name: str) -> SystemView[Any] | None:
    """The view that is a queue of the database; None when there is no such queue."""
    if not name:
        return None
    wanted = with_schema(name)
    spelled = spelling_in(database.queues, wanted)
    if spelled is None:
        spelled = next((each for each in BUILT_IN_QUEUES if same_name(each, wanted)), None)
    return None if spelled is None else conversation_views.queue_contents(QueueName(spelled))
