"""`Snapshot`: an estate as it would be at one instant, with the faults that are supposed. Made once, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.identity import databases_with
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.mirroring.claims import is_principal
from engine.core.routing.dialog_security import binding_of
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.settings import WhilePending
from engine.whatif.faults import Fault, Faults
from engine.whatif.reach import Reached, reach
from engine.whatif.router import Router
from engine.whatif.speech import Definitions


class Snapshot:
    """What the tracer asks: catalogs, routers, who is behind an address, who is a principal."""

    def __init__(
        self,
        catalogs: Mapping[InstanceName, InstanceCatalog],
        *,
        at: UtcTime,
        faults: Iterable[Fault] = (),
        while_pending: WhilePending = WhilePending.LITERAL,
        explain: bool = False,
    ) -> None:
        """Raises `CatalogError` for a fault of what the estate does not have; with `explain` decisions say why."""
        given = {catalog.name: catalog for catalog in catalogs.values()}
        self.at = at
        self.faults = Faults(given, faults)
        self.catalogs = {name: self.faults.applied(catalog) for name, catalog in given.items()}
        self.hosts: HostBook[InstanceName] = HostBook(
            (each.name, host_names(each.name, each.host_names), None if each.endpoint is None else each.endpoint.port)
            for each in self.catalogs.values()
        )
        self.definitions = Definitions(self.catalogs)
        self._while_pending = while_pending
        self._explain = explain
        self._routers: dict[InstanceName, Router] = {}
        self._asking: dict[tuple[InstanceName, DatabaseName], bool] = {}
        """Which databases have a live route to the configuration service."""
        self._reached: dict[tuple[InstanceName, TcpAddress], Reached] = {}

    def router(self, instance: InstanceName) -> Router:
        """Who decides for an instance."""
        known = self._routers.get(instance)
        if known is None:
            known = self._routers[instance] = Router(
                self.catalogs[instance], self.at, self._while_pending, explain=self._explain
            )
        return known

    def reach(self, caller: InstanceName, address: TcpAddress) -> Reached:
        """What comes of one instance dialling an address."""
        key = (caller, address)
        known = self._reached.get(key)
        if known is None:
            known = self._reached[key] = reach(self, caller, address)
        return known

    def next_hops(
        self, instance: InstanceName, database: DatabaseName, target: DialogTarget
    ) -> frozenset[InstanceName]:
        """Who is at the addresses to which routes of a database could lead, whichever of them has its way."""
        addresses = self.router(instance).next_hops(database, target)
        return frozenset(there for address in addresses for there in self.hosts.at(address, instance))

    def is_principal(self, instance: InstanceName, broker: BrokerInstanceId) -> bool:
        """What the instance answers when it is asked for the role of a database (mirroring.md 3)."""
        return is_principal(self.catalogs[instance], broker)

    def asks_for_binding(self, instance: InstanceName, database: DatabaseName, service: ServiceName) -> bool:
        """Whether a new dialog to the network waits until the configuration service was asked (routing.md 6.9)."""
        asks = self._asking.get((instance, database))
        here = self.catalogs[instance].databases[database]
        if asks is None:
            routes = here.routes.values()
            asks = any(each.service_name == BROKER_CONFIGURATION_SERVICE and is_live(each, self.at) for each in routes)
            self._asking[instance, database] = asks
        return asks and service != BROKER_CONFIGURATION_SERVICE and binding_of(here, service) is None

    def owns(self, instance: InstanceName, broker: BrokerInstanceId) -> bool:
        """Whether a database with this id is defined there, in whatever state."""
        return bool(databases_with(self.catalogs[instance], broker))
