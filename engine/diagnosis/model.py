"""`Model`: an estate's catalogs, indexed by what the checks ask for. Made once for a diagnosis, never changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MASTER, MSDB, BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.finding import ObjectKind, Subject
from engine.diagnosis.likeness import skeleton
from engine.diagnosis.mended import mended


class Home(msgspec.Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """A database of an instance."""

    instance: InstanceName
    database: DatabaseName

    def __str__(self) -> str:
        return f"{self.instance}.{self.database}"


class Model:
    """What is defined in an estate, and where. Questions about routing go to `journeys.Traveller`."""

    def __init__(self, catalogs: Mapping[str, InstanceCatalog], now: UtcTime) -> None:
        self.now = now
        self.catalogs: Mapping[str, InstanceCatalog] = {catalog.name: catalog for catalog in catalogs.values()}
        self.running = {name: mended(catalog) for name, catalog in self.catalogs.items()}
        """The same catalogs with everything switched on."""
        self.homes: dict[ServiceName, list[Home]] = {}
        """Where each service is, in whatever state its database is."""
        self.owners: dict[int, list[Home]] = {}
        """The databases that have a broker id, by its number."""
        for home, database in self.databases():
            self.owners.setdefault(database.broker_instance.int, []).append(home)
            for service in database.services:
                self.homes.setdefault(service, []).append(home)
        self.hosts: HostBook[InstanceName] = HostBook(
            (catalog.name, host_names(catalog.name, catalog.host_names), _port_of(catalog))
            for catalog in self.catalogs.values()
        )

    def databases(self) -> Iterator[tuple[Home, DatabaseCatalog]]:
        """Every database of every instance."""
        for catalog in self.catalogs.values():
            for database in catalog.databases.values():
                yield Home(catalog.name, database.name), database

    def user_databases(self) -> Iterator[tuple[Home, DatabaseCatalog]]:
        """Databases that may hold ends of conversations: all but `master`, and `msdb` only if it has services."""
        for home, database in self.databases():
            if home.database != MASTER and (home.database != MSDB or database.services):
                yield home, database

    def database(self, home: Home) -> DatabaseCatalog:
        """What is defined there."""
        return self.catalogs[home.instance].databases[home.database]

    def routes(self) -> Iterator[tuple[Home, Route]]:
        """Every route that is live."""
        for home, database in self.databases():
            for route in database.routes.values():
                if is_live(route, self.now):
                    yield home, route

    def owner_of(self, broker: BrokerInstanceId | None) -> list[Home]:
        """The databases with this id; none for no id."""
        return [] if broker is None else self.owners.get(broker.int, [])

    def hosts_of(self, service: ServiceName, broker: BrokerInstanceId | None) -> list[Home]:
        """The databases that have the service, and the id if one is given."""
        homes = self.homes.get(service, [])
        return homes if broker is None else [home for home in homes if home in self.owner_of(broker)]

    def is_local(self, service: ServiceName, instance: InstanceName) -> bool:
        """Whether a database of the instance has the service, in whatever state it is."""
        return any(home.instance == instance for home in self.homes.get(service, []))

    @cached_property
    def _by_skeleton(self) -> dict[str, list[ServiceName]]:
        found: dict[str, list[ServiceName]] = {}
        for service in (*self.homes, BROKER_CONFIGURATION_SERVICE):
            found.setdefault(skeleton(service), []).append(service)
        return found

    def near_miss(self, service: ServiceName) -> ServiceName | None:
        """A service that exists and is called almost so, when none is called exactly so."""
        if service in self.homes or service == BROKER_CONFIGURATION_SERVICE:
            return None
        return next(iter(self._by_skeleton.get(skeleton(service), [])), None)

    # --- addresses ---------------------------------------------------------------------------------------------------

    def called(self, address: TcpAddress, caller: InstanceName) -> list[InstanceName]:
        """Whom the host of an address means, whatever the port."""
        return self.hosts.called(address, caller)

    def leads_to(self, address: TcpAddress, caller: InstanceName) -> InstanceName | None:
        """The instance an address means; a wrong port is forgiven where the host alone says who is meant."""
        at = self.hosts.at(address, caller)
        called = at or self.hosts.called(address, caller)
        return called[0] if at or len(called) == 1 else None

    def address_of(self, instance: InstanceName, caller: InstanceName) -> NetworkAddress | None:
        """An address by which `caller` reaches an instance and nobody else; None when it has no endpoint."""
        catalog = self.catalogs[instance]
        if catalog.endpoint is None:
            return None
        for host in host_names(catalog.name, catalog.host_names):
            tcp = TcpAddress(host, catalog.endpoint.port)
            if self.hosts.at(tcp, caller) == [instance] and ":" not in host:
                return NetworkAddress(f"TCP://{host}:{tcp.port}", tcp)
        return None


def _port_of(catalog: InstanceCatalog) -> int | None:
    return None if catalog.endpoint is None else catalog.endpoint.port


def subject(home: Home, kind: ObjectKind, name: str) -> Subject:
    """An object of a database."""
    return Subject(instance=home.instance, database=home.database, kind=kind, name=name)


def database_subject(home: Home) -> Subject:
    """A database."""
    return subject(home, ObjectKind.DATABASE, home.database)


def instance_subject(instance: InstanceName) -> Subject:
    """An instance."""
    return Subject(instance=instance, kind=ObjectKind.INSTANCE, name=instance)


def endpoint_subject(catalog: InstanceCatalog) -> Subject:
    """The endpoint of an instance; the instance itself when it has none."""
    if catalog.endpoint is None:
        return instance_subject(catalog.name)
    return Subject(instance=catalog.name, kind=ObjectKind.ENDPOINT, name=catalog.endpoint.name)
