"""MATCH and CHOOSE over one routing table, each step a line of the vendor's text (routing.md 3.1, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, TransportAddress
from engine.core.routing.decision import LossReason, RouteLoss
from engine.core.routing.locator import ServiceLocator
from engine.core.routing.rotation import Rotation
from engine.core.routing.table import RoutingTable
from engine.core.vocabulary.identifiers import RouteName
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime

IMPLICIT_LOCAL_STEP = 6
NO_MATCH_STEP = 7


@dataclass(slots=True)
class Match:
    """What MATCH found: the step that ended it and the candidates it left to CHOOSE."""

    step: int
    candidates: list[Route] = field(default_factory=list)
    passed_over: list[Route] = field(default_factory=list)
    """Step 3: routes whose broker id was not the one picked."""


@dataclass(slots=True)
class Choice:
    """What CHOOSE took: the route and the choose step, or nothing."""

    route: Route | None = None
    step: int | None = None
    drawn_from: list[Route] = field(default_factory=list)
    losses: list[RouteLoss] = field(default_factory=list)
    saw_local: bool = False
    """A LOCAL route was a candidate, but no database here hosts the service."""


def match(
    table: RoutingTable, target: DialogTarget, locator: ServiceLocator, rotation: Rotation, now: UtcTime
) -> Match:
    """Steps 1-7: stop at the first that yields a route."""
    service, broker = target.service_name, target.broker_instance
    if broker is not None and (found := table.full(service, broker, now)):
        return Match(1, found)
    if found := table.name_only(service, now):
        return Match(2, found)
    if broker is None and (found := table.with_id(service, now)):
        return _match_one_id(table, target, found, rotation)
    if table.has_broker_configuration(now):
        return Match(4)
    if found := table.last_resort(now):
        return Match(5, found)
    if broker is not None and locator.hosts(service):
        return Match(IMPLICIT_LOCAL_STEP)
    return Match(NO_MATCH_STEP)


def _match_one_id(table: RoutingTable, target: DialogTarget, found: list[Route], rotation: Rotation) -> Match:
    ids = list(dict.fromkeys(route.broker_instance for route in found))
    picked = ids[rotation.take(table.database, target.service_name, "broker-instance", len(ids))]
    return Match(
        3,
        [route for route in found if route.broker_instance == picked],
        [route for route in found if route.broker_instance != picked],
    )


def choose(
    table: RoutingTable,
    target: DialogTarget,
    candidates: list[Route],
    locator: ServiceLocator,
    rotation: Rotation,
) -> Choice:
    """Steps 1-4: mirrored, LOCAL (if the service is here), TCP, TRANSPORT."""
    choice = Choice()
    distinct = _distinct(candidates, choice)
    kinds = (
        [route for route in distinct if route.mirror_address is not None],
        [route for route in distinct if isinstance(route.address, LocalAddress)],
        [r for r in distinct if isinstance(r.address, NetworkAddress) and r.mirror_address is None],
        [route for route in distinct if isinstance(route.address, TransportAddress)],
    )
    for step, routes in enumerate(kinds, start=1):
        if choice.route is not None:
            _lose(choice, routes, LossReason.ADDRESS_KIND_LATER)
        elif step == 2 and routes and not locator.hosts(target.service_name):
            choice.saw_local = True
            _lose(choice, routes, LossReason.SERVICE_NOT_HERE)
        elif routes:
            index = rotation.take(table.database, target.service_name, f"choose-{step}", len(routes))
            choice.route, choice.step = routes[index], step
            choice.drawn_from = routes if len(routes) > 1 else []
            _lose(choice, [route for route in routes if route is not choice.route], LossReason.NOT_DRAWN)
    return choice


def _distinct(candidates: list[Route], choice: Choice) -> list[Route]:
    """Routes equal in id, service and address count as one, the mirrored of them stays (routing.md 3.2, E43)."""
    kept: dict[tuple[object, object, object], Route] = {}
    for route in candidates:
        tcp = route.address.tcp if isinstance(route.address, NetworkAddress) else type(route.address)
        key = (route.broker_instance, route.service_name, tcp)
        rival = kept.get(key)
        if rival is None:
            kept[key] = route
        elif rival.mirror_address is None and route.mirror_address is not None:
            kept[key] = route
            _lose(choice, [rival], LossReason.COUNTS_AS_ONE)
        else:
            _lose(choice, [route], LossReason.COUNTS_AS_ONE)
    return list(kept.values())


def _lose(choice: Choice, routes: list[Route], reason: LossReason) -> None:
    choice.losses.extend(RouteLoss(route.name, reason) for route in routes)


def why_not_candidates(table: RoutingTable, target: DialogTarget, found: Match, now: UtcTime) -> tuple[RouteLoss, ...]:
    """For every route that MATCH did not yield, the clause that failed; looks at the whole table."""
    candidates: set[RouteName] = {route.name for route in found.candidates}
    passed_over = {route.name for route in found.passed_over}
    return tuple(
        RouteLoss(route.name, _reason(route, target, route.name in passed_over, now))
        for route in table
        if route.name not in candidates
    )


def _reason(route: Route, target: DialogTarget, passed_over: bool, now: UtcTime) -> LossReason:
    if route.expires_at is not None and now >= route.expires_at:
        return LossReason.EXPIRED
    if passed_over:
        return LossReason.OTHER_BROKER_INSTANCE_PICKED
    if route.service_name is not None and route.service_name != target.service_name:
        return LossReason.SERVICE_DIFFERS
    if route.broker_instance is not None and target.broker_instance not in (None, route.broker_instance):
        return LossReason.BROKER_INSTANCE_DIFFERS
    return LossReason.LATER_STEP
