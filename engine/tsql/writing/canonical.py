"""Catalogs in one order, so that equal ones give equal scripts, and the instance that every script begins on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from engine.core.catalog.changes import DatabaseCreated
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.identity import is_system_database
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_change
from engine.core.vocabulary.identifiers import MASTER, MSDB

Name = TypeVar("Name", bound=str)
_OBJECTS = (
    *("message_types", "contracts", "queues", "services", "routes", "users"),
    *("certificates", "remote_service_bindings", "priorities", "event_notifications"),
)


def order_of(name: str) -> tuple[str, str]:
    """By letters first, whatever their case."""
    return name.casefold(), name


def in_order(catalog: InstanceCatalog) -> InstanceCatalog:
    """The same catalog with everything in the order of names, the system's own databases first."""
    names = sorted(catalog.databases, key=lambda name: (not is_system_database(name), *order_of(name)))
    return msgspec.structs.replace(
        catalog,
        databases={name: _in_order(catalog.databases[name]) for name in names},
        logins=_sorted(catalog.logins),
        connect_permissions=_sorted(catalog.connect_permissions),
    )


def _in_order(database: DatabaseCatalog) -> DatabaseCatalog:
    return msgspec.structs.replace(database, **{field: _sorted(getattr(database, field)) for field in _OBJECTS})


def _sorted(objects: Mapping[Name, Any]) -> dict[Name, Any]:
    return {name: objects[name] for name in sorted(objects, key=order_of)}


def newborn(catalog: InstanceCatalog) -> InstanceCatalog:
    """The instance as set-up left it, before anybody defined anything; its system databases have their ids."""
    born = InstanceCatalog(name=catalog.name)
    for name in (MASTER, MSDB):
        known = catalog.databases.get(name)
        if known is not None:
            apply_change(born, DatabaseCreated(database=name, broker_instance=known.broker_instance))
    return born
