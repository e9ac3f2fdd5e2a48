"""LOCATE: which database of this instance holds a service or a broker id (routing.md 3.3)."""

from __future__ import annotations

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
                for service in database.services:
                    self._hosts.setdefault(service, []).append(database.name)

    def hosts(self, service: ServiceName) -> bool:
        """Whether any available database of this instance has the service (routing.md E13)."""
        return service in self._hosts

    def owner_of(self, broker: BrokerInstanceId) -> DatabaseCatalog | None:
        """The database with this broker id; of two with the same id the one that can deliver (identity.md 5)."""
        owners = self._owners.get(broker)
        if not owners:
            return None
        return next((database for database in owners if database.can_deliver), owners[0])

    def databases_with(self, service: ServiceName, home: DatabaseName | None) -> list[DatabaseName]:
        """Available databases with the service: the conversation's own first, the others in no promised order."""
        found = self._hosts.get(service, [])
        return [home, *(name for name in found if name != home)] if home in found else list(found)
