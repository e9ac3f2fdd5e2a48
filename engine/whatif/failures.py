"""`single_failures`: everything in an estate that can fail by itself, once each (product.md 2b, screen 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.routing.table import is_live
from engine.core.routing.transport_name import derive_address
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.faults import Fault, FaultKind, partners_in

Catalogs = Mapping[InstanceName, InstanceCatalog]
Place = tuple[InstanceName, DatabaseName]

_AT_REST: Final = (DatabaseState.OFFLINE, DatabaseState.MIRROR)
"""States of a database that has nothing to lose."""


def single_failures(catalogs: Catalogs, *, at: UtcTime | None = None) -> tuple[Fault, ...]:
    """Every single failure: instances, links that routes use, endpoints, databases, queues, mirrored pairs.

    Each kind in the order of the catalogs. Routes that have expired `at` an instant use no link; without it all do.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    return (
        *(Fault(kind=FaultKind.INSTANCE, instance=name) for name in given),
        *(Fault(kind=FaultKind.LINK, instance=one, other=other) for one, other in links_of(given, at=at)),
        *_endpoints(given),
        *_databases(given),
        *_queues(given),
        *(Fault(kind=FaultKind.PARTNER, instance=pair[0][0], database=pair[0][1]) for pair in mirrored_pairs(given)),
    )


def links_of(catalogs: Catalogs, *, at: UtcTime | None = None) -> Iterator[tuple[InstanceName, InstanceName]]:
    """Pairs of instances of which a route of the one leads to the other; each pair once, as it is first met."""
    hosts: HostBook[InstanceName] = HostBook(
        (each.name, host_names(each.name, each.host_names), None if each.endpoint is None else each.endpoint.port)
        for each in catalogs.values()
    )
    hidden = _hidden_addresses(catalogs)
    known: set[frozenset[InstanceName]] = set()
    for catalog in catalogs.values():
        addresses = {
            address: None
            for database in catalog.databases.values()
            for route in database.routes.values()
            if at is None or is_live(route, at)
            for address in _addresses(route, hidden)
        }
        for address in addresses:
            for other in hosts.at(address, catalog.name)[:1]:
                pair = frozenset((catalog.name, other))
                if len(pair) == 2 and pair not in known:
                    known.add(pair)
                    yield catalog.name, other


def _hidden_addresses(catalogs: Catalogs) -> dict[ServiceName, TcpAddress]:
    """The services whose names begin with an address, where a TRANSPORT route leads (routing.md 5.3)."""
    services = {
        service
        for catalog in catalogs.values()
        for database in catalog.databases.values()
        for service in database.services
    }
    return {service: address for service in services if (address := derive_address(service)) is not None}


def _addresses(route: Route, hidden: Mapping[ServiceName, TcpAddress]) -> list[TcpAddress]:
    if isinstance(route.address, NetworkAddress):
        mirror = [] if route.mirror_address is None else [route.mirror_address.tcp]
        return [route.address.tcp, *mirror]
    if isinstance(route.address, LocalAddress):
        return []
    if route.service_name is None:
        return list(hidden.values())
    derived = derive_address(route.service_name)
    return [] if derived is None else [derived]


def _endpoints(catalogs: Catalogs) -> Iterator[Fault]:
    for catalog in catalogs.values():
        if catalog.endpoint is not None and catalog.endpoint.state is EndpointState.STARTED:
            yield Fault(kind=FaultKind.ENDPOINT, instance=catalog.name)


def _serving(catalogs: Catalogs) -> Iterator[tuple[InstanceName, DatabaseCatalog]]:
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            if database.services and database.state not in _AT_REST:
                yield catalog.name, database


def _databases(catalogs: Catalogs) -> Iterator[Fault]:
    for instance, database in _serving(catalogs):
        yield Fault(kind=FaultKind.DATABASE, instance=instance, database=database.name)


def _queues(catalogs: Catalogs) -> Iterator[Fault]:
    for instance, database in _serving(catalogs):
        used = {spelling_in(database.queues, service.queue) for service in database.services.values()}
        for name, queue in database.queues.items():
            if queue.is_enabled and name in used:
                yield Fault(kind=FaultKind.QUEUE, instance=instance, database=database.name, queue=name)


def mirrored_pairs(catalogs: Catalogs) -> Iterator[tuple[Place, Place]]:
    """Every mirrored pair once, whoever is no mirror copy first."""
    sharing: dict[BrokerInstanceId, list[Place]] = {}
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            sharing.setdefault(database.broker_instance, []).append((catalog.name, database.name))
    known: set[frozenset[Place]] = set()
    for places in sharing.values():
        concerned = {instance: catalogs[instance] for instance, _ in places}
        for place in places if len(places) > 1 else ():
            pair = partners_in(concerned, *place)
            if pair and frozenset(pair) not in known:
                known.add(frozenset(pair))
                first, second = sorted(pair, key=lambda each: _is_copy(catalogs, each))
                yield first, second


def _is_copy(catalogs: Catalogs, place: Place) -> bool:
    return catalogs[place[0]].databases[place[1]].state is DatabaseState.MIRROR
