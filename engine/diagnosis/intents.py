"""`Intents`: who means to reach which service, and what comes of it.

A database means to reach a service when something in it names the service: a route, also an expired one, a remote
service binding, a conversation priority, an event notification. Catch-all routes name nobody. What is named is looked
for whether or not a route leads there, so that a mended route reveals nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.route import LocalAddress, Route
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import BrokerInstanceId, ServiceName, known_id
from engine.core.vocabulary.messages import DialogTarget
from engine.diagnosis.finding import ObjectKind, Subject
from engine.diagnosis.journeys import Journey, Stop, Traveller
from engine.diagnosis.model import Home, Model, subject


class Outcome(StrEnum):
    """What comes of an intent; each but the first and the last has its check."""

    REACHED = "reached"
    NEAR_MISS = "near miss"
    """No service is called so, and one is called almost so."""
    OTHER_ID = "other id"
    """The service exists, but not in a database with the id that the route names."""
    NO_ROUTE = "no route"
    """Nothing in the database leads there."""
    ASTRAY = "astray"
    """A route leads to an instance that neither has the service nor passes the message on to it."""
    NOT_LOCAL = "not local"
    """A LOCAL route, and the service is not in this instance."""
    SHUT_OUT = "shut out"
    """It arrives at the instance, whose msdb has no route for it."""
    LED_AWAY = "led away"
    """It has arrived where the service is, and msdb there has sent it on."""
    MIRROR_COPY = "mirror copy"
    """It arrives where the mirror copy is, and the route does not know the partner."""
    LOOP = "loop"
    OUTSIDE = "outside"
    """The address belongs to nobody of the estate."""
    BAD_ADDRESS = "bad address"
    MISSING = "missing"
    """It arrives, and nobody in the estate has the service."""
    UNKNOWN = "unknown"
    """Nothing can be said: found out at run time, or by a mirror copy."""


class Intent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Somebody's wish to reach a service."""

    home: Home
    service: ServiceName
    broker: BrokerInstanceId | None
    named_by: Subject
    """What names the service; of several routes the first."""
    route: Route | None
    """That route, when it is one."""
    outcome: Outcome
    target: Home | None
    """Where the service is that is meant, as far as that is certain."""
    journey: Journey | None = None
    """The way that shows the outcome."""
    meant: ServiceName
    """The service that is meant: of a near miss the one that exists."""


def intents_of(model: Model, traveller: Traveller) -> list[Intent]:
    """Every intent of an estate; one for each database, service and broker id."""
    found = []
    for home, database in model.user_databases():
        if not model.running[home.instance].databases[home.database].can_deliver:
            # A mirror copy, or a copy beside the original: nothing leaves it, and nothing is meant to.
            continue
        for (service, _), (broker, named_by, route) in _named(model, home, database).items():
            if service != BROKER_CONFIGURATION_SERVICE:
                found.append(intent_of(model, traveller, home, service, broker, named_by, route))
    return found


_Naming = tuple[BrokerInstanceId | None, Subject, Route | None]


def _named(model: Model, home: Home, database: DatabaseCatalog) -> dict[tuple[ServiceName, int | None], _Naming]:
    """What a database names: services by name and id, live routes before expired ones and other objects."""
    named: dict[tuple[ServiceName, int | None], _Naming] = {}
    routes = sorted(database.routes.values(), key=lambda route: not is_live(route, model.now))
    for route in routes:
        if route.service_name is not None:
            broker = known_id(route.broker_instance)
            key = (route.service_name, None if broker is None else broker.int)
            if key not in named:
                named[key] = (broker, subject(home, ObjectKind.ROUTE, route.name), route)
    by_name = {service for service, _ in named}
    for service, broker, named_by in _named_otherwise(home, database):
        if service not in by_name:
            named.setdefault((service, None if broker is None else broker.int), (broker, named_by, None))
    return named


def _named_otherwise(
    home: Home, database: DatabaseCatalog
) -> Iterator[tuple[ServiceName, BrokerInstanceId | None, Subject]]:
    for binding in database.remote_service_bindings.values():
        yield binding.service_name, None, subject(home, ObjectKind.BINDING, binding.name)
    for priority in database.priorities.values():
        if priority.remote_service is not None:
            yield priority.remote_service, None, subject(home, ObjectKind.PRIORITY, priority.name)
    for key, notification in database.event_notifications.items():
        broker = notification.broker_instance or database.broker_instance
        yield notification.to_service, broker, subject(home, ObjectKind.EVENT_NOTIFICATION, key)


def intent_of(
    model: Model,
    traveller: Traveller,
    home: Home,
    service: ServiceName,
    broker: BrokerInstanceId | None,
    named_by: Subject,
    route: Route | None,
) -> Intent:
    """What comes of one wish to reach a service."""
    near = model.near_miss(service)
    meant = near or service
    homes = model.hosts_of(meant, broker) or model.hosts_of(meant, None)
    journeys = traveller.journeys(home, DialogTarget(service, broker))
    failed = next((journey for journey in journeys if journey.stop is not Stop.DELIVERED), None)
    journey = failed or journeys[0]
    outcome = Outcome.REACHED if failed is None else _outcome(model, service, broker, route, failed)
    delivered = journey.home if outcome is Outcome.REACHED else None
    if near is not None and outcome is not Outcome.REACHED:
        outcome = Outcome.NEAR_MISS
    return Intent(
        home=home,
        service=service,
        broker=broker,
        named_by=named_by,
        route=route,
        outcome=outcome,
        target=delivered or (homes[0] if len(homes) == 1 else None),
        journey=journey,
        meant=meant,
    )


def _outcome(
    model: Model,
    service: ServiceName,
    broker: BrokerInstanceId | None,
    route: Route | None,
    journey: Journey,
) -> Outcome:
    """Why a message does not arrive, the nearest cause first."""
    is_somewhere = service in model.homes
    if broker is not None and is_somewhere and not model.hosts_of(service, broker):
        return Outcome.OTHER_ID
    if journey.stop in (Stop.LOOP, Stop.BAD_ADDRESS, Stop.ASKING, Stop.NOBODY):
        return _BY_STOP[journey.stop]
    instance = journey.last.instance
    here = [each for each in model.hosts_of(service, broker) if each.instance == instance]
    if len(journey.hops) == 1:
        if route is not None and is_live(route, model.now) and isinstance(route.address, LocalAddress) and not here:
            return Outcome.NOT_LOCAL
        return Outcome.NO_ROUTE if is_somewhere else Outcome.UNKNOWN
    if here and all(model.database(each).state is DatabaseState.MIRROR for each in here):
        return Outcome.UNKNOWN if journey.hops[-2].decision.choose_step == 1 else Outcome.MIRROR_COPY
    if here:
        return Outcome.SHUT_OUT if journey.stop is Stop.NO_ROUTE else Outcome.UNKNOWN
    passed = {hop.instance for hop in journey.hops[1:-1]}
    if any(each.instance in passed for each in model.hosts_of(service, broker)):
        return Outcome.LED_AWAY
    return Outcome.ASTRAY if is_somewhere else Outcome.MISSING


_BY_STOP = {
    Stop.LOOP: Outcome.LOOP,
    Stop.BAD_ADDRESS: Outcome.BAD_ADDRESS,
    Stop.ASKING: Outcome.UNKNOWN,
    Stop.NOBODY: Outcome.OUTSIDE,
}
