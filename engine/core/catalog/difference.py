"""The changes that lead from one catalog to another, in an order in which each is legal.

The work is done on a copy: every change that is found is applied to it at once, so what remains to be compared is
always what the reader of the changes will have. Two spellings of one database, queue, route or endpoint name are no
difference; the first one stays.
"""

from __future__ import annotations

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
from engine.core.vocabulary.identifiers import DatabaseName


def diff(before: InstanceCatalog, after: InstanceCatalog) -> tuple[CatalogChange, ...]:
    """Changes that make `before` define what `after` defines. Name and revision of the instance are not compared.

    Raises `CatalogError` when `after` breaks a rule of the catalog.
    """
    difference = _Difference(before)
    difference.find(after)
    return tuple(difference.changes)


class _Difference:
    """One comparison under way: the changes found so far and the catalog they have made."""

    def __init__(self, before: InstanceCatalog) -> None:
        self.changes: list[CatalogChange] = []
        self._work = copy(before)

    def find(self, after: InstanceCatalog) -> None:
        if self._work.host_names != after.host_names:
            self._emit(HostNamesSet(host_names=after.host_names))
        for change in server_changes_before(self._work, after):
            self._emit(change)
        for name in list(self._work.databases):
            if spelling_in(after.databases, name) is None:
                self._emit(DatabaseDropped(database=name))
        self._quieten(after)
        for wanted in sorted(after.databases.values(), key=lambda database: database.is_broker_enabled):
            if spelling_in(self._work.databases, wanted.name) is None:
                self._emit(DatabaseCreated(database=wanted.name, broker_instance=wanted.broker_instance))
            self._find_identity(wanted)
        for wanted in after.databases.values():
            for change in definition_changes(self._database(wanted.name), wanted):
                self._emit(change)
            self._find_condition(wanted)
        for change in server_changes_after(self._work, after):
            self._emit(change)

    def _emit(self, change: CatalogChange) -> None:
        apply_change(self._work, change)
        self.changes.append(change)

    def _database(self, name: DatabaseName) -> DatabaseCatalog:
        return find_database(self._work, name)

    def _quieten(self, after: InstanceCatalog) -> None:
        """Brokers that are to be off, or whose id comes or goes, are off first: an id may be active only once."""
        pairs = [(database, find_database(after, database.name)) for database in self._work.databases.values()]
        moving = {
            broker_instance
            for database, wanted in pairs
            if database.broker_instance != wanted.broker_instance
            for broker_instance in (database.broker_instance, wanted.broker_instance)
        }
        for database, wanted in pairs:
            is_to_be_off = not wanted.is_broker_enabled or database.broker_instance in moving
            if database.is_broker_enabled and is_to_be_off:
                self._emit(BrokerSwitched(database=database.name, is_enabled=False))

    def _find_identity(self, wanted: DatabaseCatalog) -> None:
        """Another id: mirroring ends and the database comes online for it; `_find_condition` sets both right again."""
        database = self._database(wanted.name)
        if database.broker_instance != wanted.broker_instance:
            if database.partner_address is not None:
                self._emit(PartnerSet(database=database.name, partner_address=None))
            if database.state is not DatabaseState.ONLINE:
                self._emit(DatabaseStateSet(database=database.name, state=DatabaseState.ONLINE))
            self._emit(BrokerRenewed(database=database.name, broker_instance=wanted.broker_instance))
        if database.is_broker_enabled and not wanted.is_broker_enabled:
            self._emit(BrokerSwitched(database=database.name, is_enabled=False))

    def _find_condition(self, wanted: DatabaseCatalog) -> None:
        """Broker switch, state and partner; a broker is switched on before the mirroring begins."""
        database = self._database(wanted.name)
        if database.is_broker_enabled != wanted.is_broker_enabled:
            if wanted.is_broker_enabled and database.partner_address is not None:
                self._emit(PartnerSet(database=database.name, partner_address=None))
            self._emit(BrokerSwitched(database=database.name, is_enabled=wanted.is_broker_enabled))
        if database.state is not wanted.state:
            self._emit(DatabaseStateSet(database=database.name, state=wanted.state))
        if database.partner_address != wanted.partner_address:
            self._emit(PartnerSet(database=database.name, partner_address=wanted.partner_address))
