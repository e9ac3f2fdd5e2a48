"""`possible_flows`: who may write to whom in an estate, as its definitions say; what traffic has shown comes on top.

A database writes to what its routes name, under the broker ids that they name; to the services beside it; and, where a
route leads whatever is asked for out into the network, to every service of the estate that takes dialogs. It writes
in the name of its services that list no contract, for those begin dialogs; where all list one, in the name of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.route import NetworkAddress
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.vocabulary.identifiers import MASTER, MSDB, BrokerInstanceId, InstanceName, ServiceName
from engine.whatif.telling import FlowQuestion

ANYWHERE_MAX: Final = 256
"""Services of the estate that a route for whatever is asked for is asked about; beyond them those named by routes."""
_Wish = tuple[ServiceName, BrokerInstanceId | None]


def possible_flows(catalogs: Mapping[InstanceName, InstanceCatalog]) -> Iterator[FlowQuestion]:
    """Every distinct flow, in the order of the catalogs; each with its sender, its service and its broker id."""
    anywhere = _takers(catalogs.values())
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            if database.name != MASTER and (database.name != MSDB or database.services):
                yield from flows_of(catalog.name, database, anywhere)


def flows_of(
    instance: InstanceName, database: DatabaseCatalog, anywhere: Iterable[ServiceName] = ()
) -> Iterator[FlowQuestion]:
    """The flows of one database; `anywhere` are services that a route for everything may lead to."""
    senders = [service.name for service in database.services.values() if not service.contracts]
    wishes = _wishes(database, anywhere)
    for sender in senders or database.services:
        for to_service, broker in wishes:
            if to_service != sender:
                yield FlowQuestion(
                    instance=instance,
                    database=database.name,
                    service=sender,
                    to_service=to_service,
                    broker_instance=broker,
                )


def _wishes(database: DatabaseCatalog, anywhere: Iterable[ServiceName]) -> dict[_Wish, None]:
    wishes: dict[_Wish, None] = {}
    leads_anywhere = False
    for route in database.routes.values():
        if route.service_name is None:
            leads_anywhere = leads_anywhere or isinstance(route.address, NetworkAddress)
        elif route.service_name != BROKER_CONFIGURATION_SERVICE:
            wishes[route.service_name, route.broker_instance] = None
    for service in database.services.values():
        if service.contracts:
            wishes[service.name, None] = None
    if leads_anywhere:
        for name in anywhere:
            wishes.setdefault((name, None))
    return wishes


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
