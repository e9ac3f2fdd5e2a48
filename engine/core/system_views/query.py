"""`read_system_view`: one query of a system view by its name."""

from __future__ import annotations

from typing import Any, Final

from engine.core.catalog.builtin import BUILT_IN_QUEUES
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import find_database, same_name, spelling_in, with_schema
from engine.core.exchange.system_views import Cell, SystemViewRows, ViewColumn
from engine.core.handlers.broker import Broker
from engine.core.system_views import catalog_views, conversation_views, counter_views, endpoint_views, runtime_views
from engine.core.system_views.definition import SystemView
from engine.core.system_views.reading import ViewReader
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import MASTER, DatabaseName, QueueName
from engine.core.vocabulary.limits import SYSTEM_VIEW_BODY_BYTES_MAX

SYSTEM_VIEWS: Final[tuple[SystemView[Any], ...]] = (
    *catalog_views.VIEWS,
    *conversation_views.VIEWS,
    *endpoint_views.VIEWS,
    *runtime_views.VIEWS,
    *counter_views.VIEWS,
)
"""Every view but the queues, each of which is one under its own name."""

_BY_NAME: Final = {view.name: view for view in SYSTEM_VIEWS}


def read_system_view(broker: Broker, name: str, database: DatabaseName | None, rows_max: int) -> SystemViewRows:
    """The first `rows_max` rows of a view, or of a queue of the database used as one; nothing changes.

    `database` is the one that asks, None is master, where a session begins. Names of views are found in any letter
    case, those of queues with or without `dbo.`. Rows are also left out once the bodies among them are larger than
    `SYSTEM_VIEW_BODY_BYTES_MAX`. Errors: 911 no such database, 208 no such view or queue.
    """
    asks = find_database(broker.catalog, MASTER if database is None else database)
    view = _BY_NAME.get(name.lower()) or _queue_view(asks, name)
    if view is None:
        raise LocalProtocolError(208, name=name, database=asks.name)
    reader = ViewReader(broker, asks)
    rows: list[tuple[Cell, ...]] = []
    left_out = body_bytes = 0
    for each in view.rows(reader):
        if len(rows) >= rows_max or body_bytes > SYSTEM_VIEW_BODY_BYTES_MAX:
            left_out += 1
            continue
        cells = tuple(column.cell(reader, each) for column in view.columns)
        body_bytes += sum(len(cell) for cell in cells if isinstance(cell, bytes))
        rows.append(cells)
    columns = tuple(ViewColumn(name=column.name, type=column.type, nullable=column.nullable) for column in view.columns)
    return SystemViewRows(view=view.name, columns=columns, rows=tuple(rows), left_out=left_out)


def _queue_view(database: DatabaseCatalog, name: str) -> SystemView[Any] | None:
    """The view that is a queue of the database; None when there is no such queue."""
    if not name:
        return None
    wanted = with_schema(name)
    spelled = spelling_in(database.queues, wanted)
    if spelled is None:
        spelled = next((each for each in BUILT_IN_QUEUES if same_name(each, wanted)), None)
    return None if spelled is None else conversation_views.queue_contents(QueueName(spelled))
