"""LOCATE: which database of this instance holds a service or a broker id (routing.md 3.3)."""

from __future__ import annotations

from engine.core.catalog.builtin import BUILT_IN_SERVICES
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, ServiceName

_UNAVAILABLE: dict[DatabaseState, int] = {
    DatabaseState.READ_ONLY: 28014,
    DatabaseState.SINGLE_USER: 28015,
    DatabaseState.MIRROR: 28018,
    DatabaseState.OFFLINE: 28012,
}


def unavailable_reason(database: DatabaseCatalog) -> int | None:
    """Why the services of a database do not exist for LOCATE, as a number of protocol.md 19; None when they do."""
    if database.state is not DatabaseState.ONLINE:
        return _UNAVAILABLE[database.state]
    return None if database.is_broker_enabled else 28013


class ServiceLocator:
    """An index over the databases of one instance; made anew whenever a definition other than a route changes."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        self._owners: dict[BrokerInstanceId, list[DatabaseCatalog]] = {}
        self._hosts: dict[ServiceName, list[DatabaseName]] = {}
        for database in catalog.databases.values():
            self._owners.setdefault(database.broker_instance, []).append(database)
            if database.can_deliver:
                for service in (*BUILT_IN_SERVICES, *database.services):
                    self._hosts.setdefault(service, []).append(database.name)

    def hosts(self, service: ServiceName) -> bool:
        """Whether any available database of this instance has the service (routing.md E13)."""
        return service in self._hosts

    def has(self, database: DatabaseName, service: ServiceName) -> bool:
        """Whether this one available database has the service."""
        return database in self._hosts.get(service, ())

    def owner_of(self, broker: BrokerInstanceId) -> DatabaseCatalog | None:
        """The database with this broker id; of two with the same id the one that can deliver (identity.md 5)."""
        owners = self._owners.get(broker)
        if not owners:
            return None
        return next((database for database in owners if database.can_deliver), owners[0])

    def databases_with(self, service: ServiceName, home: DatabaseName | None) -> list[DatabaseName]:
        """Available databases that may get a message without id: the conversation's own alone, else all others."""
        found = self._hosts.get(service, [])
        return [home] if home in found else found
