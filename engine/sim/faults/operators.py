"""What operators do at the wrong moment: routes dropped or sent astray, brokers, queues and endpoints switched off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.core.catalog.changes import (
    BrokerSwitched,
    CatalogChange,
    EndpointAltered,
    QueueAltered,
    RouteAltered,
    RouteCreated,
    RouteDropped,
)
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.vocabulary.identifiers import MSDB, DatabaseName, InstanceName, QueueName
from engine.sim.entropy import Dice
from engine.sim.faults.kind import Fault, FaultKind, Struck, Subject, Undo, any_instance
from engine.sim.scenario import ENDPOINT_NAME, Place, Scenario, queue_name

MOVE_KINDS: Final = {"failover", "forced-failover"}
RETURN_KINDS: Final = {"restore", "detach", "attach-copy"}

HarmAndCure = tuple[CatalogChange, CatalogChange]


def _operated(changes: Callable[[Subject, Scenario], HarmAndCure]) -> Callable[[Fault, Struck], Undo]:
    """A fault that is a change of the catalog, and is undone by another."""

    def strike(fault: Fault, struck: Struck) -> Undo:
        operator = struck.operators[fault.subject.instance]
        harm, cure = changes(fault.subject, struck.scenario)
        operator.change(harm)
        return lambda: operator.change(cure)

    return strike


def places_that_stay(scenario: Scenario) -> set[Place]:
    """Databases that stay where and as they are; of the others somebody else takes care (`moving`, `restoring`)."""
    if RETURN_KINDS & scenario.faults.keys():
        return set()
    moving = {place for pair in scenario.pairs() for place in pair} if MOVE_KINDS & scenario.faults.keys() else set()
    return scenario.homes().keys() - moving


def _routes(scenario: Scenario) -> list[tuple[InstanceName, DatabaseName, Route]]:
    """Routes over the network, which an operator may drop or send astray."""
    stay = places_that_stay(scenario)
    return [
        (instance.name, database, route)
        for instance in scenario.instances
        for database, route in instance.all_routes()
        if isinstance(route.address, NetworkAddress) and (database == MSDB or (instance.name, database) in stay)
    ]


def _any_route(scenario: Scenario, dice: Dice) -> Subject | None:
    routes = _routes(scenario)
    if not routes:
        return None
    instance, database, route = dice.choose(routes)
    return Subject(instance=instance, database=database, name=route.name)


def _route_and_stranger(scenario: Scenario, dice: Dice) -> Subject | None:
    """A route and an instance to which it does not lead."""
    wrong = [
        Subject(instance=instance, database=database, name=route.name, other=other.name)
        for instance, database, route in _routes(scenario)
        if isinstance(route.address, NetworkAddress) and route.mirror_address is None
        for other in scenario.instances
        if other.address != route.address.tcp and other.name != instance
    ]
    return dice.choose(wrong) if wrong else None


def _any_queue(scenario: Scenario, dice: Dice) -> Subject | None:
    stay = places_that_stay(scenario)
    queues = [
        Subject(instance=instance.name, database=database.name, name=queue_name(service))
        for instance in scenario.instances
        for database in instance.databases
        if not database.is_mirror and (instance.name, database.name) in stay
        for service in database.services
    ]
    return dice.choose(queues) if queues else None


def _route_of(subject: Subject, scenario: Scenario) -> Route:
    return next(
        route
        for instance in scenario.instances
        if instance.name == subject.instance
        for database, route in instance.all_routes()
        if database == subject.database and route.name == subject.name
    )


def _drop(subject: Subject, scenario: Scenario) -> HarmAndCure:
    route = _route_of(subject, scenario)
    return (
        RouteDropped(database=subject.database, name=route.name),
        RouteCreated(database=subject.database, route=route),
    )


def _lead_astray(subject: Subject, scenario: Scenario) -> HarmAndCure:
    route = _route_of(subject, scenario)
    address = next(instance.address for instance in scenario.instances if instance.name == subject.other)
    astray = NetworkAddress(str(address), address)
    return (
        RouteAltered(database=subject.database, name=route.name, address=astray),
        RouteAltered(database=subject.database, name=route.name, address=route.address),
    )


def _switch_broker(subject: Subject, _: Scenario) -> HarmAndCure:
    return (
        BrokerSwitched(database=subject.database, is_enabled=False),
        BrokerSwitched(database=subject.database, is_enabled=True),
    )


def _switch_queue(subject: Subject, _: Scenario) -> HarmAndCure:
    name = QueueName(subject.name)
    return (
        QueueAltered(database=subject.database, name=name, is_enabled=False),
        QueueAltered(database=subject.database, name=name, is_enabled=True),
    )


def _stop_endpoint(_: Subject, __: Scenario) -> HarmAndCure:
    return (
        EndpointAltered(name=ENDPOINT_NAME, state=EndpointState.STOPPED),
        EndpointAltered(name=ENDPOINT_NAME, state=EndpointState.STARTED),
    )


def _route_held(subject: Subject) -> tuple[str, ...]:
    return ("route", subject.instance, subject.database, subject.name)


KINDS: Final = (
    FaultKind(name="route-drop", lasts=(1.0, 60.0), choose=_any_route, strike=_operated(_drop), holds=_route_held),
    FaultKind(
        name="route-astray",
        lasts=(1.0, 60.0),
        choose=_route_and_stranger,
        strike=_operated(_lead_astray),
        holds=_route_held,
    ),
    FaultKind(
        name="broker-off",
        lasts=(1.0, 40.0),
        choose=_any_queue,
        strike=_operated(_switch_broker),
        holds=lambda subject: ("broker", subject.instance, subject.database),
    ),
    FaultKind(
        name="queue-off",
        lasts=(1.0, 40.0),
        choose=_any_queue,
        strike=_operated(_switch_queue),
        holds=lambda subject: ("queue", subject.instance, subject.database, subject.name),
    ),
    FaultKind(
        name="endpoint-stop",
        lasts=(1.0, 40.0),
        choose=any_instance,
        strike=_operated(_stop_endpoint),
        holds=lambda subject: ("endpoint", subject.instance),
    ),
)
