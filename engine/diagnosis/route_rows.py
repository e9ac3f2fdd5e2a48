"""Checks of routes as they stand in their tables: expiry, ids, addresses, twins (SBD-103 to 118, 205)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.changes import CatalogChange, RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.routing.decision import Classification, Origin
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MSDB, InstanceName, ServiceName, known_id
from engine.core.vocabulary.messages import DialogTarget
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind, Phrase
from engine.diagnosis.intents import Outcome
from engine.diagnosis.journeys import Stop
from engine.diagnosis.model import Home, subject
from engine.diagnosis.repairs import arrives_by, fix, one_of, renewed
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, instant, phrase

SOON_SECONDS = 24 * 3600
_LISTED_MAX = 20


# --- expiry ----------------------------------------------------------------------------------------------------------


def expired(survey: Survey) -> Iterator[Finding]:
    """SBD-103: the row is there, and no message takes it."""
    for home, database in survey.model.databases():
        for route in database.routes.values():
            if route.expires_at is not None and not is_live(route, survey.now):
                is_replaced = _is_reached(survey, home, route)
                yield finding(
                    "SBD-103/replaced" if is_replaced else "SBD-103",
                    subject(home, ObjectKind.ROUTE, route.name),
                    fix=_after_expiry(survey, home, route, is_replaced),
                    instant=instant(route.expires_at),
                    service=_service_of(route),
                )


def _service_of(route: Route) -> Phrase:
    return phrase("every_service") if route.service_name is None else phrase("one_service", service=route.service_name)


def _is_reached(survey: Survey, home: Home, route: Route) -> bool:
    """Whether messages for the route's service arrive without it."""
    if route.service_name is None:
        return True
    target = DialogTarget(route.service_name, known_id(route.broker_instance))
    if home.database == MSDB:
        return survey.traveller.arrives(home.instance, target, from_target=False).stop is Stop.DELIVERED
    return all(each.stop is Stop.DELIVERED for each in survey.traveller.journeys(home, target))


def _after_expiry(survey: Survey, home: Home, route: Route, is_replaced: bool) -> tuple[InstanceFix, ...]:
    """Another year where the route would lead to its service; away with it where it would not or need not."""
    service = route.service_name
    dropped = fix(home, RouteDropped(database=home.database, name=route.name))
    if is_replaced or service is None:
        return dropped
    if service not in survey.model.homes:
        return dropped if survey.model.near_miss(service) is None else ()
    leads = arrives_by(survey, home, route.address, service, known_id(route.broker_instance))
    return renewed(survey, home, route) if leads else ()


def expires_soon(survey: Survey) -> Iterator[Finding]:
    """SBD-104: less than a day is left."""
    for home, route in survey.model.routes():
        if route.expires_at is not None and route.expires_at - survey.now < SOON_SECONDS:
            yield finding(
                "SBD-104",
                subject(home, ObjectKind.ROUTE, route.name),
                fix=renewed(survey, home, route),
                instant=instant(route.expires_at),
                service=_service_of(route),
            )


# --- ids -------------------------------------------------------------------------------------------------------------


def other_id(survey: Survey) -> Iterator[Finding]:
    """SBD-105: the service is there, under another broker id than the route names."""
    model = survey.model
    for intent in survey.intents:
        if intent.outcome is not Outcome.OTHER_ID or (intent.route and not is_live(intent.route, survey.now)):
            continue
        homes = model.hosts_of(intent.service, None)
        ids = {model.database(home).broker_instance for home in homes}
        changes: list[CatalogChange] = []
        if len(ids) == 1 and intent.route is not None:
            changes = [
                RouteAltered(database=intent.home.database, name=route.name, broker_instance=next(iter(ids)))
                for route in model.database(intent.home).routes.values()
                if route.service_name == intent.service
                and route.broker_instance == intent.broker
                and arrives_by(survey, intent.home, route.address, intent.service, next(iter(ids)))
            ]
        yield finding(
            "SBD-105",
            intent.named_by,
            further=tuple(subject(home, ObjectKind.SERVICE, intent.service) for home in homes[:_LISTED_MAX]),
            fix=fix(intent.home, *changes) if changes else (),
            about=f"{intent.service} {intent.broker}",
            service=intent.service,
            broker=intent.broker,
            ids=tuple(sorted(f"{model.database(home).broker_instance} ({home})" for home in homes[:5])),
        )


def dead_id(survey: Survey) -> Iterator[Finding]:
    """SBD-205: a route of msdb for a broker id that no database has."""
    model = survey.model
    for home, route in model.routes():
        broker = known_id(route.broker_instance)
        if home.database != MSDB or broker is None or model.owner_of(broker):
            continue
        leads_inside = not isinstance(route.address, NetworkAddress) or bool(
            model.called(route.address.tcp, home.instance)
        )
        if leads_inside:
            yield finding(
                "SBD-205",
                subject(home, ObjectKind.ROUTE, route.name),
                about=f"{broker}",
                broker=broker,
                service=_service_of(route),
            )


# --- addresses -------------------------------------------------------------------------------------------------------


def wrong_address(survey: Survey) -> Iterator[Finding]:
    """SBD-106: the host is an instance's and the port is not, or the host is nobody's."""
    outside: dict[tuple[Home, str], list[Route]] = {}
    for home, route in survey.model.routes():
        for address in (route.address, route.mirror_address):
            if not isinstance(address, NetworkAddress) or survey.model.hosts.at(address.tcp, home.instance):
                continue
            called = survey.model.called(address.tcp, home.instance)
            if called:
                yield from _wrong_port(survey, home, route, address, called)
            elif route.service_name in survey.model.homes:
                yield finding(
                    "SBD-106/stranger",
                    subject(home, ObjectKind.ROUTE, route.name),
                    about=str(address),
                    address=address,
                    service=route.service_name,
                    homes=tuple(survey.model.homes[ServiceName(route.service_name or "")][:5]),
                )
            else:
                outside.setdefault((home, str(address.tcp)), []).append(route)
    for (home, text), routes in outside.items():
        yield finding(
            "SBD-106/outside",
            subject(home, ObjectKind.ROUTE, routes[0].name),
            further=tuple(subject(home, ObjectKind.ROUTE, route.name) for route in routes[1:_LISTED_MAX]),
            about=text,
            address=text,
            routes=phrase("routes_lead", count=len(routes)) if len(routes) > 1 else phrase("route_leads"),
        )


def _wrong_port(
    survey: Survey, home: Home, route: Route, address: NetworkAddress, called: list[InstanceName]
) -> Iterator[Finding]:
    endpoints = {name: found for name in called if (found := survey.model.catalogs[name].endpoint) is not None}
    if not endpoints:
        return
    changes: tuple[InstanceFix, ...] = ()
    if len(endpoints) == 1:
        endpoint = next(iter(endpoints.values()))
        host = f"[{address.tcp.host}]" if ":" in address.tcp.host else address.tcp.host
        right = NetworkAddress(f"TCP://{host}:{endpoint.port}", type(address.tcp)(address.tcp.host, endpoint.port))
        is_mirror = address == route.mirror_address
        changes = fix(
            home,
            RouteAltered(database=home.database, name=route.name, mirror_address=right)
            if is_mirror
            else RouteAltered(database=home.database, name=route.name, address=right),
        )
    yield finding(
        "SBD-106",
        subject(home, ObjectKind.ROUTE, route.name),
        fix=changes,
        about=str(address),
        address=address,
        ports=tuple(phrase("listens_on", instance=name, port=found.port) for name, found in endpoints.items()),
    )


def own_address(survey: Survey) -> Iterator[Finding]:
    """SBD-113: a route to the very instance that it stands in; mirrored databases need one (mirroring.md 5)."""
    model = survey.model
    for home, route in model.routes():
        database = model.database(home)
        if home.database == MSDB or database.partner_address is not None or route.mirror_address is not None:
            continue
        address = route.address
        if not isinstance(address, NetworkAddress) or model.hosts.at(address.tcp, home.instance) != [home.instance]:
            continue
        service, broker = route.service_name, known_id(route.broker_instance)
        is_here = service is not None and any(
            each.instance == home.instance for each in model.hosts_of(service, broker)
        )
        local = RouteAltered(database=home.database, name=route.name, address=LocalAddress())
        yield finding(
            "SBD-113",
            subject(home, ObjectKind.ROUTE, route.name),
            fix=fix(home, local) if is_here else (),
            about=str(address),
            address=address,
            instance=home.instance,
        )


def led_away(survey: Survey) -> Iterator[Finding]:
    """SBD-110: msdb sends on what a database of its own instance is there for."""
    model = survey.model
    told: set[tuple[InstanceName, ServiceName]] = set()
    for home, route in model.routes():
        service = route.service_name
        if home.database != MSDB or service is None or route.broker_instance is not None:
            continue
        here = [each for each in model.homes.get(service, []) if each.instance == home.instance]
        is_mirrored = any(model.database(each).state is DatabaseState.MIRROR for each in here)
        if not here or is_mirrored or (home.instance, service) in told or isinstance(route.address, LocalAddress):
            continue
        told.add((home.instance, service))
        hop = survey.traveller.arrives(home.instance, DialogTarget(service), from_target=False).hops[0]
        if hop.decision.classification is not Classification.REMOTE or hop.decision.origin is Origin.INSIDE:
            continue
        is_lost = any(
            intent.outcome is Outcome.LED_AWAY and intent.service == service and intent.target in here
            for intent in survey.intents
        )
        yield finding(
            "SBD-110/lost" if is_lost else "SBD-110",
            subject(home, ObjectKind.ROUTE, route.name),
            further=tuple(subject(each, ObjectKind.SERVICE, service) for each in here),
            fix=_kept_here(survey, home, service),
            about=service,
            service=service,
            instance=home.instance,
            address=route.address,
        )


def _kept_here(survey: Survey, home: Home, service: ServiceName) -> tuple[InstanceFix, ...]:
    routes = [
        route
        for route in survey.model.database(home).routes.values()
        if route.service_name == service and route.broker_instance is None
    ]
    local = Route(name=routes[0].name, service_name=service, address=LocalAddress())
    drops: list[CatalogChange] = [RouteDropped(database=MSDB, name=route.name) for route in routes]
    return fix(home, *drops, RouteCreated(database=MSDB, route=local))


# --- twins -----------------------------------------------------------------------------------------------------------


def duplicates(survey: Survey) -> Iterator[Finding]:
    """SBD-118: routes that count as one."""
    for home, database in survey.model.databases():
        alike: dict[tuple[object, ...], list[Route]] = {}
        for route in database.routes.values():
            if is_live(route, survey.now):
                alike.setdefault(one_of(route), []).append(route)
        for routes in alike.values():
            if len(routes) < 2:
                continue
            kept = min(routes, key=lambda route: (route.mirror_address is None, -(route.expires_at or 1e15)))
            drops = [RouteDropped(database=home.database, name=route.name) for route in routes if route is not kept]
            yield finding(
                "SBD-118",
                subject(home, ObjectKind.ROUTE, kept.name),
                further=tuple(subject(home, ObjectKind.ROUTE, route.name) for route in routes if route is not kept)[
                    :_LISTED_MAX
                ],
                fix=fix(home, *drops),
                about=kept.service_name or "",
                routes=tuple(route.name for route in routes[:_LISTED_MAX]),
                service=_service_of(kept),
            )


def balanced(survey: Survey) -> Iterator[Finding]:
    """SBD-118, another side of it: one service, several ways, and conversations take turns."""
    for home, database in survey.model.databases():
        by_service: dict[ServiceName, list[Route]] = {}
        for route in database.routes.values():
            if route.service_name is not None and is_live(route, survey.now):
                by_service.setdefault(route.service_name, []).append(route)
        for service, routes in by_service.items():
            by_name = [route for route in routes if route.broker_instance is None]
            drawn = by_name or routes
            if len({one_of(route) for route in drawn}) > 1:
                yield finding(
                    "SBD-118/balanced",
                    subject(home, ObjectKind.ROUTE, drawn[0].name),
                    further=tuple(subject(home, ObjectKind.ROUTE, route.name) for route in drawn[1:_LISTED_MAX]),
                    about=f"balanced {service}",
                    service=service,
                    count=len(drawn),
                    home=home,
                )
