"""Which statements say a change of the catalog: one room per kind, and this is the directory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from engine.core.catalog.changes import (
    CatalogChange,
    ContractCreated,
    ContractDropped,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    HostNamesSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
)
from engine.core.catalog.identity import DatabaseChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.security_changes import PermissionSet, SecurityChange
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, LoginDropped
from engine.tsql.writing.databases import of_database
from engine.tsql.writing.definitions import of_messages, of_queue, of_service
from engine.tsql.writing.reading import ReadingChange, of_reading
from engine.tsql.writing.routes import of_route
from engine.tsql.writing.security import of_security
from engine.tsql.writing.server import of_server
from engine.tsql.writing.written import Written


def statements_of(change: CatalogChange, present: InstanceCatalog, wanted: InstanceCatalog) -> Iterator[Written]:
    """The statements that say `change`; `present` is the catalog just before it, `wanted` what all of it leads to.

    Host names are said beside :CONNECT, so that change has none.
    """
    match change:
        case RouteCreated() | RouteAltered() | RouteDropped():
            yield from of_route(change, present)
        case HostNamesSet():
            pass
        case EndpointCreated() | EndpointAltered() | EndpointDropped():
            yield from of_server(change, present)
        case LoginCreated() | LoginDropped() | ConnectPermissionSet():
            yield from of_server(change, present)
        case MessageTypeCreated() | MessageTypeAltered() | MessageTypeDropped() | ContractCreated() | ContractDropped():
            yield from of_messages(change)
        case QueueCreated() | QueueAltered() | QueueDropped():
            yield from of_queue(change)
        case ServiceCreated() | ServiceAltered() | ServiceDropped():
            yield from of_service(change, wanted)
        case _ if isinstance(change, DatabaseChange):
            yield from of_database(change, present, wanted)
        case _ if isinstance(change, ReadingChange):
            yield from of_reading(change, present)
        case _ if isinstance(change, SecurityChange | PermissionSet):
            yield from of_security(change)
        case _:
            assert_never(change)
