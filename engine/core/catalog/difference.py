"""The changes that lead from one catalog to another, in an order in which each is legal.

The work is done on a copy: every change that is found is applied to it at once, so what remains to be compared is
always what the reader of the changes will have. Two spellings of one database, queue, route or endpoint name are no
difference; the first one stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.changes import (
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    HostNamesSet,
    PartnerSet,
)
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.definition_difference import definition_changes
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database, spelling_in
from engine.core.catalog.revision import apply_change, copy
from engine.core.catalog.server_difference import server_changes_after, server_changes_before


def diff(before: InstanceCatalog, after: InstanceCatalog) -> tuple[CatalogChange, ...]:
    """Changes that make `before` define what `after` defines. Name and revision of the instance are not compared.

    Raises `CatalogError` when `after` breaks a rule of the catalog.
    """
    return tuple(change for change, _ in steps_between(before, after))


def steps_between(before: InstanceCatalog, after: InstanceCatalog) -> Iterator[tuple[CatalogChange, InstanceCatalog]]:
    """The changes of `diff`, each with the catalog just before it, which is changed when the next one is asked for."""
    work = copy(before)
    for change in _found(work, after):
        yield change, work
        apply_change(work, change)


def _found(present: InstanceCatalog, after: InstanceCatalog) -> Iterator[CatalogChange]:
    """The changes one by one; the caller applies each to `present` before it asks for the next."""
    if present.host_names != after.host_names:
        yield HostNamesSet(host_names=after.host_names)
    yield from server_changes_before(present, after)
    for name in list(present.databases):
        if spelling_in(after.databases, name) is None:
            yield DatabaseDropped(database=name)
    yield from _quietened(present, after)
    for wanted in sorted(after.databases.values(), key=lambda database: database.is_broker_enabled):
        if spelling_in(present.databases, wanted.name) is None:
            yield DatabaseCreated(database=wanted.name, broker_instance=wanted.broker_instance)
        yield from _identity(find_database(present, wanted.name), wanted)
    for wanted in after.databases.values():
        database = find_database(present, wanted.name)
        yield from definition_changes(database, wanted)
        yield from _condition(database, wanted)
    yield from server_changes_after(present, after)


def _quietened(present: InstanceCatalog, after: InstanceCatalog) -> Iterator[CatalogChange]:
    """Brokers that are to be off, or whose id comes or goes, are off first: an id may be active only once."""
    pairs = [(database, find_database(after, database.name)) for database in present.databases.values()]
    moving = {
        broker_instance
        for database, wanted in pairs
        if database.broker_instance != wanted.broker_instance
        for broker_instance in (database.broker_instance, wanted.broker_instance)
    }
    for database, wanted in pairs:
        is_to_be_off = not wanted.is_broker_enabled or database.broker_instance in moving
        if database.is_broker_enabled and is_to_be_off:
            yield BrokerSwitched(database=database.name, is_enabled=False)


def _identity(database: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """Another id: mirroring ends and the database comes online for it; `_condition` sets both right again."""
    if database.broker_instance != wanted.broker_instance:
        if database.partner_address is not None:
            yield PartnerSet(database=database.name, partner_address=None)
        if database.state is not DatabaseState.ONLINE:
            yield DatabaseStateSet(database=database.name, state=DatabaseState.ONLINE)
        yield BrokerRenewed(database=database.name, broker_instance=wanted.broker_instance)
    if database.is_broker_enabled and not wanted.is_broker_enabled:
        yield BrokerSwitched(database=database.name, is_enabled=False)


def _condition(database: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """Broker switch, state and partner; a broker is switched on before the mirroring begins."""
    if database.is_broker_enabled != wanted.is_broker_enabled:
        if wanted.is_broker_enabled and database.partner_address is not None:
            yield PartnerSet(database=database.name, partner_address=None)
        yield BrokerSwitched(database=database.name, is_enabled=wanted.is_broker_enabled)
    if database.state is not wanted.state:
        yield DatabaseStateSet(database=database.name, state=wanted.state)
    if database.partner_address != wanted.partner_address:
        yield PartnerSet(database=database.name, partner_address=wanted.partner_address)
