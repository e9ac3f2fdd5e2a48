"""Catalogs without the faults that have findings of their own, so that one cause makes one finding.

A route through an instance whose endpoint is stopped is as right or wrong as if it were started; that the endpoint is
stopped is told once, by its own check. What is mended: brokers and states of databases, endpoints, forwarding.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.identity import active_owner_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.vocabulary.identifiers import MASTER, EndpointName

_NO_PORT: Final = 0
"""Of an endpoint that is not there: no address means it."""


def mended(catalog: InstanceCatalog) -> InstanceCatalog:
    """The catalog as messages would find it if everything were switched on; the same one if it is."""
    repaired = {
        name: _running(database)
        for name, database in catalog.databases.items()
        if name != MASTER and not _runs(database) and _may_run(catalog, database)
    }
    endpoint = catalog.endpoint or Endpoint(EndpointName("none"), _NO_PORT)
    is_open = endpoint.state is EndpointState.STARTED and endpoint.is_message_forwarding_enabled
    if not repaired and is_open:
        return catalog
    databases = {name: repaired.get(name, database) for name, database in catalog.databases.items()}
    return msgspec.structs.replace(
        catalog,
        databases=databases,
        endpoint=msgspec.structs.replace(endpoint, state=EndpointState.STARTED, is_message_forwarding_enabled=True),
    )


def _runs(database: DatabaseCatalog) -> bool:
    return database.can_deliver


def _may_run(catalog: InstanceCatalog, database: DatabaseCatalog) -> bool:
    """Mirror copies are meant to wait, and of two databases with one id one alone can be a broker (identity.md 5)."""
    if database.state is DatabaseState.MIRROR:
        return False
    return (
        database.is_broker_enabled
        or active_owner_of(catalog, database.broker_instance, other_than=database.name) is None
    )


def _running(database: DatabaseCatalog) -> DatabaseCatalog:
    return msgspec.structs.replace(database, is_broker_enabled=True, state=DatabaseState.ONLINE)
