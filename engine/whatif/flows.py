"""`possible_flows`: who may write to whom in an estate, as its definitions say; what traffic has shown comes on top.

A database writes to what its routes name, under the broker ids that they name; to the services beside it; and, where a
route leads whatever is asked for out into the network, to every service of the estate that takes dialogs. It writes
in the name of its services that list no contract, for those begin dialogs; where all list one, in the name of each.
Nobody writes to a service that nowhere lists a contract: routes that name it lead answers back (protocol.md 13).
The flows name no contract, so that each of them is asked with one that both sides list.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Service
from engine.core.catalog.route import NetworkAddress
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.vocabulary.identifiers import MASTER, MSDB, BrokerInstanceId, InstanceName, ServiceName
from engine.whatif.telling import FlowQuestion

ANYWHERE_MAX: Final = 256
"""Services of the estate that a route for whatever is asked for is asked about; beyond them those named by routes."""
_Wish = tuple[ServiceName, BrokerInstanceId | None]


def possible_flows(catalogs: Mapping[InstanceName, InstanceCatalog]) -> Iterator[FlowQuestion]:
    """Every distinct flow, in the order of the catalogs; each with its sender, its service and its broker id."""
    anywhere, silent = _takers(catalogs.values()), _silent(catalogs.values())
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            if _is_asked(database):
                yield from flows_of(catalog.name, database, anywhere, silent)


def new_flows(
    before: Mapping[InstanceName, InstanceCatalog], after: Mapping[InstanceName, InstanceCatalog]
) -> Iterator[FlowQuestion]:
    """Flows of the second state, among them every one that the first does not have: those of databases that differ.

    Where services that take dialogs came or went, those too of databases that write to all there are; to those that
    only now take dialogs, the flows from everywhere.
    """
    anywhere, silent = _takers(after.values()), _silent(after.values())
    heard = _silent(before.values()) - silent
    if heard:
        yield from (flow for flow in possible_flows(after) if flow.to_service in heard)
    is_other = anywhere != _takers(before.values())
    for catalog in after.values():
        known = before.get(catalog.name)
        if known is catalog and not is_other:
            continue
        for database in catalog.databases.values():
            was = None if known is None else known.databases.get(database.name)
            is_same = was is not None and (was is database or _asks_the_same(was, database))
            if _is_asked(database) and (not is_same or (is_other and _leads_anywhere(database))):
                own = flows_of(catalog.name, database, anywhere, silent)
                yield from (flow for flow in own if flow.to_service not in heard)


def _asks_the_same(one: DatabaseCatalog, other: DatabaseCatalog) -> bool:
    return one.services == other.services and one.routes == other.routes


def _is_asked(database: DatabaseCatalog) -> bool:
    """Whether what leaves a database is looked at: not that of those which send nothing of their own."""
    return database.name != MASTER and (database.name != MSDB or bool(database.services))


def beginning_services(database: DatabaseCatalog) -> list[Service]:
    """The services that begin conversations: those that list no contract; where all list one, each of them."""
    services = list(database.services.values())
    return [service for service in services if not service.contracts] or services


def flows_of(
    instance: InstanceName,
    database: DatabaseCatalog,
    anywhere: Iterable[ServiceName] = (),
    silent: Container[ServiceName] = (),
) -> Iterator[FlowQuestion]:
    """The flows of one database; `anywhere` a route for everything may lead to, `silent` services take no dialog."""
    wishes = _wishes(database, anywhere)
    for sender in [service.name for service in beginning_services(database)]:
        for to_service, broker in wishes:
            if to_service != sender and to_service not in silent:
                yield FlowQuestion(
                    instance=instance,
                    database=database.name,
                    service=sender,
                    to_service=to_service,
                    broker_instance=broker,
                )


def _wishes(database: DatabaseCatalog, anywhere: Iterable[ServiceName]) -> dict[_Wish, None]:
    wishes: dict[_Wish, None] = {}
    for route in database.routes.values():
        if route.service_name is not None and route.service_name != BROKER_CONFIGURATION_SERVICE:
            wishes[route.service_name, route.broker_instance] = None
    for service in database.services.values():
        if service.contracts:
            wishes[service.name, None] = None
    if _leads_anywhere(database):
        for name in anywhere:
            wishes.setdefault((name, None))
    return wishes


def _leads_anywhere(database: DatabaseCatalog) -> bool:
    """Whether a route leads whatever is asked for out into the network."""
    routes = database.routes.values()
    return any(route.service_name is None and isinstance(route.address, NetworkAddress) for route in routes)


def _takers(catalogs: Iterable[InstanceCatalog]) -> list[ServiceName]:
    """Services that list a contract, so that somebody may begin a dialog with them; not more than `ANYWHERE_MAX`."""
    found: dict[ServiceName, None] = {}
    for catalog in catalogs:
        for database in catalog.databases.values():
            for service in database.services.values():
                if service.contracts:
                    found[service.name] = None
                    if len(found) >= ANYWHERE_MAX:
                        return list(found)
    return list(found)


def _silent(catalogs: Iterable[InstanceCatalog]) -> set[ServiceName]:
    """Services of the estate that list no contract anywhere, so that every dialog with them is refused (8408)."""
    silent: set[ServiceName] = set()
    heard: set[ServiceName] = set()
    for catalog in catalogs:
        for database in catalog.databases.values():
            for service in database.services.values():
                (heard if service.contracts else silent).add(service.name)
    return silent - heard
