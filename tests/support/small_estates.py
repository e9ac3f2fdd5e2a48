"""Small estates drawn in a docstring and written down in a few lines, and what a what-if says of one message in them.

Whatever it says is tried in the simulator at once: a way that the world does not take fails the test that asked.
"""

from uuid import UUID

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.changes import (
    BrokerSwitched,
    DatabaseCreated,
    DatabaseStateSet,
    EndpointCreated,
    PartnerSet,
    QueueCreated,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import DEFAULT_CONTRACT, Endpoint, EndpointState, Queue, Service
from engine.core.catalog.revision import apply_changes, new_instance
from engine.core.catalog.route import Route
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.legs import round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.random_estates import NOW, Case
from tests.support.truth import Forecast, at_large, replay

SHOP, STOCK, OTHER = UUID(int=0xA), UUID(int=0xB), UUID(int=0xC)


def to(address, service="Stock", broker=None, mirror=None, expires_at=None):
    """A route; give it a place in a list, which names it."""
    return service, address, broker, mirror, expires_at


def database(
    name, *services, broker, routes=(), has_catch_all=True, is_on=True, state=None, partner=None, queue_on=True
):
    """What a database is made of; its services are on queues of their own."""
    changes = [DatabaseCreated(database=name, broker_instance=broker)]
    for service in services:
        changes += [
            QueueCreated(database=name, queue=Queue(f"dbo.{service}", is_enabled=queue_on)),
            ServiceCreated(database=name, service=Service(service, f"dbo.{service}", (DEFAULT_CONTRACT,))),
        ]
    changes += routes_in(name, routes, has_catch_all=has_catch_all)
    if partner is not None:
        changes.append(PartnerSet(database=name, partner_address=partner))
    if not is_on:
        changes.append(BrokerSwitched(database=name, is_enabled=False))
    if state is not None:
        changes.append(DatabaseStateSet(database=name, state=state))
    return changes


def routes_in(name, routes, *, has_catch_all=True):
    """The routes of a database, named `Database 1` and so on."""
    found = [] if has_catch_all else [RouteDropped(database=name, name="AutoCreatedLocal")]
    for number, (service, address, broker, mirror, expires_at) in enumerate(routes, start=1):
        made = Route(
            name=f"{name} {number}",
            service_name=service,
            address=parse_route_address(address, port_required=False)[0],
            broker_instance=broker,
            mirror_address=None if mirror is None else parse_route_address(mirror, port_required=False)[0],
            expires_at=expires_at,
        )
        found.append(RouteCreated(database=name, route=made))
    return found


def instance(name, *databases, msdb=(), has_catch_all=True, forwards=False, endpoint=EndpointState.STARTED, **clauses):
    """An instance that listens on 4022 of the host of its name; `endpoint=None` is one that has none."""
    changes = [change for changes in databases for change in changes]
    changes += routes_in("msdb", msdb, has_catch_all=has_catch_all)
    if endpoint is not None:
        made = Endpoint("Broker", 4022, endpoint, is_message_forwarding_enabled=forwards, **clauses)
        changes.append(EndpointCreated(endpoint=made))
    seed = sum(ord(letter) << (8 * at) for at, letter in enumerate(name[:6]))
    return apply_changes(new_instance(name, NumberedEntropy(seed)), changes)


def shop(*routes, name="WEST", has_catch_all=True, **fields):
    """The sender: service Till in Shop of WEST."""
    home = database("Shop", "Till", broker=SHOP, routes=routes, has_catch_all=has_catch_all)
    return instance(name, home, **fields)


def store(*routes, name="EAST", broker=STOCK, services=("Stock",), back="TCP://west:4022", **fields):
    """A target: service Stock in Store, which knows the way back to Till."""
    homeward = [to(back, "Till")] if back else []
    kept = ("is_on", "state", "partner", "queue_on", "has_catch_all")
    of_database = {key: fields.pop(key) for key in kept if key in fields}
    return instance(
        name, database("Store", *services, broker=broker, routes=[*homeward, *routes], **of_database), **fields
    )


def estate(*catalogs):
    return {catalog.name: catalog for catalog in catalogs}


def asked(catalogs, *faults, broker=None, to_service="Stock", home="WEST", is_race=False, **said):
    """The four legs of a message from Till to Stock, after every course of it was taken by a world."""
    flow = FlowQuestion(
        instance=home, database="Shop", service="Till", to_service=to_service, broker_instance=broker, **said
    )
    case = Case(catalogs, flow, faults)
    forecast = Forecast(case)
    assert forecast.is_race is is_race
    for course in forecast.courses:
        difference = replay(forecast, course, 1)
        assert difference is None, str(difference)
    difference = at_large(forecast, 1)
    assert difference is None, str(difference)
    return round_trip(Snapshot(catalogs, at=NOW, faults=faults), flow)


def ends(leg):
    """Share, end, place and number of each way of a leg, the most likely first."""
    return [(round(way.share, 3), way.disposition.value, _place(way), way.number) for way in leg.ways]


def end(legs):
    """The one end of the first leg."""
    ((share, *found),) = ends(legs[0])
    assert share == 1.0
    return tuple(found)


def lights(legs):
    return " ".join(leg.light.value for leg in legs)


def _place(way):
    return way.instance if way.database is None else f"{way.instance}/{way.database}"


def down(name):
    return Fault(kind=FaultKind.INSTANCE, instance=name)


def cut(one, other):
    return Fault(kind=FaultKind.LINK, instance=one, other=other)


def offline(name, database_name="Store"):
    return Fault(kind=FaultKind.DATABASE, instance=name, database=database_name)


def failed_over(name, database_name="Store"):
    return Fault(kind=FaultKind.PARTNER, instance=name, database=database_name)


MIRROR = DatabaseState.MIRROR
