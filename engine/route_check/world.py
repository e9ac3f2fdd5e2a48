"""The instance that a case describes.

The instance has the database `Home`, where conversations from inside live, `msdb`, one database for each owned broker
id that no described database has, and the described databases; one called `Home` or `msdb` describes these
themselves. When the case says that the target service is hosted, it stands where a described database has it; if none
does, in the databases of the owned ids; if there are none, in `Home`.
"""

from __future__ import annotations

from typing import Final

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState, Service
from engine.core.catalog.route import Route
from engine.core.vocabulary.identifiers import (
    MSDB,
    BrokerInstanceId,
    DatabaseName,
    EndpointName,
    InstanceName,
    QueueName,
    ServiceName,
)
from engine.route_check.cases import HOME, Case, DatabaseCase, unowned_id

_INSTANCE: Final = InstanceName("this instance")
"""No host name has a blank, so no address leads here by this name."""
_NO_PORT: Final = 0
"""The port of an endpoint that no address means: the case names no address of its own."""
_QUEUE: Final = QueueName("dbo.queue")

_HOME_ID: Final = unowned_id("the database of the conversation")
_MSDB_ID: Final = unowned_id("msdb")


def instance_of(case: Case) -> InstanceCatalog:
    """The catalog of the instance that the case describes."""
    port = case.own_addresses[0].port if case.own_addresses else _NO_PORT
    return InstanceCatalog(
        name=_INSTANCE,
        databases={database.name: database for database in _databases(case)},
        endpoint=Endpoint(
            EndpointName("endpoint"), port, EndpointState.STARTED, is_message_forwarding_enabled=case.forwarding
        ),
        host_names=tuple(address.host for address in case.own_addresses),
    )


def _databases(case: Case) -> list[DatabaseCatalog]:
    described = {database.name.casefold(): database for database in case.databases}
    home = described.pop(HOME.casefold(), DatabaseCase(name=HOME))
    msdb = described.pop(MSDB.casefold(), DatabaseCase(name=MSDB))
    given_ids = {database.broker_instance for database in case.databases}
    owners = [
        DatabaseCase(name=DatabaseName(f"Owner of {case.spell(broker)}"), broker_instance=broker)
        for broker in case.owned
        if broker not in given_ids
    ]
    hosts_somewhere = any(case.service in database.services for database in case.databases)
    everywhere = case.hosts_target_service and not hosts_somewhere
    at_home = (case.service,) if everywhere and not owners else ()
    at_owners = (case.service,) if everywhere else ()
    taken: set[BrokerInstanceId] = set()
    return [
        _database(HOME, _HOME_ID, home, case.home_routes, at_home, taken),
        _database(MSDB, _MSDB_ID, msdb, case.msdb_routes, (), taken),
        *(_database(each.name, unowned_id(each.name), each, (), (), taken) for each in described.values()),
        *(_database(each.name, unowned_id(each.name), each, (), at_owners, taken) for each in owners),
    ]


def _database(
    name: DatabaseName,
    fresh_id: BrokerInstanceId,
    described: DatabaseCase,
    routes: tuple[Route, ...],
    further: tuple[ServiceName, ...],
    taken: set[BrokerInstanceId],
) -> DatabaseCatalog:
    """`taken` are the ids of databases made before: a second one with the same id comes up disabled (E35)."""
    broker = described.broker_instance or fresh_id
    is_enabled = described.is_broker_enabled and broker not in taken
    if is_enabled:
        taken.add(broker)
    return DatabaseCatalog(
        name=name,
        broker_instance=broker,
        is_broker_enabled=is_enabled,
        state=described.state,
        services={service: Service(service, _QUEUE) for service in (*described.services, *further)},
        routes={route.name: route for route in routes},
    )
