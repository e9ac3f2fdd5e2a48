"""Checks of mirrored databases (SBD-119, 120) and of dynamic routing (SBD-114, 115)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.builtin import NOTICE_CONTRACT
from engine.core.catalog.changes import RouteAltered, RouteCreated, ServiceAltered
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MASTER, MSDB, RouteName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind
from engine.diagnosis.intents import Intent, Outcome
from engine.diagnosis.journeys import Stop
from engine.diagnosis.model import Home, Model, subject
from engine.diagnosis.repairs import fix, route_name
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding

_LISTED_MAX = 20


# --- mirrored databases ----------------------------------------------------------------------------------------------


def partner_of(model: Model, home: Home) -> Home | None:
    """The other half of a mirrored database, when the estate has it."""
    database = model.database(home)
    if database.partner_address is None and database.state is not DatabaseState.MIRROR:
        return None
    others = [each for each in model.owner_of(database.broker_instance) if each.instance != home.instance]
    return others[0] if len(others) == 1 else None


def no_mirror_address(survey: Survey) -> Iterator[Finding]:
    """SBD-119: a route to a mirrored database that does not know the partner, so that it fails with the principal."""
    told: set[tuple[Home, RouteName]] = set()
    for intent in survey.intents:
        found = _unmirrored(survey.model, intent)
        if found is None or (found[0], found[1].name) in told:
            continue
        where, route, target = found
        told.add((where, route.name))
        yield finding(
            "SBD-119/copy" if intent.outcome is Outcome.MIRROR_COPY else "SBD-119",
            subject(where, ObjectKind.ROUTE, route.name),
            further=(subject(target, ObjectKind.DATABASE, target.database),),
            fix=_mirrored(survey.model, where, route, target),
            about=f"{target.database}",
            database=target.database,
            instance=target.instance,
            partner=survey.model.database(target).partner_address,
        )


def _unmirrored(model: Model, intent: Intent) -> tuple[Home, Route, Home] | None:
    """The route by which a message comes to an instance with a mirrored database, if it names one address alone."""
    if intent.journey is None or intent.outcome not in (Outcome.REACHED, Outcome.MIRROR_COPY):
        return None
    hops = intent.journey.hops
    if len(hops) < 2:
        return None
    here = [home for home in model.hosts_of(intent.service, intent.broker) if home.instance == hops[-1].instance]
    target = intent.target if intent.outcome is Outcome.REACHED else next(iter(here), None)
    decision = hops[-2].decision
    if target is None or partner_of(model, target) is None or decision.route is None:
        return None
    if decision.route.mirror_address is not None or not isinstance(decision.route.address, NetworkAddress):
        return None
    return Home(hops[-2].instance, decision.table), decision.route, target


def _mirrored(model: Model, where: Home, route: Route, target: Home) -> tuple[InstanceFix, ...]:
    partner = partner_of(model, target)
    if route.service_name is None or partner is None or partner.instance == where.instance:
        return ()
    mirror = model.address_of(partner.instance, where.instance)
    if mirror is None:
        return ()
    altered = RouteAltered(
        database=where.database,
        name=route.name,
        broker_instance=model.database(target).broker_instance,
        mirror_address=mirror,
    )
    return fix(where, altered)


def local_from_mirrored(survey: Survey) -> Iterator[Finding]:
    """SBD-120: a LOCAL route in a mirrored database is wrong as soon as the partner takes over."""
    model = survey.model
    for home, route in model.routes():
        database, service = model.database(home), route.service_name
        if database.partner_address is None or service is None or not isinstance(route.address, LocalAddress):
            continue
        elsewhere = [each for each in model.homes.get(service, []) if each.instance == home.instance and each != home]
        if service in database.services or not elsewhere:
            continue
        address = model.address_of(home.instance, home.instance)
        changes = (
            () if address is None else fix(home, RouteAltered(database=home.database, name=route.name, address=address))
        )
        yield finding(
            "SBD-120",
            subject(home, ObjectKind.ROUTE, route.name),
            further=(subject(elsewhere[0], ObjectKind.SERVICE, service),),
            fix=changes,
            about=service,
            database=home.database,
            service=service,
            instance=home.instance,
            partner=database.partner_address,
        )


# --- dynamic routing -------------------------------------------------------------------------------------------------


def _asking(survey: Survey) -> Iterator[tuple[Home, Route]]:
    """Databases that ask for missing routes, by the route that makes them ask; each once."""
    told: set[Home] = set()
    for home, database in survey.model.databases():
        for route in database.routes.values():
            is_asking = route.service_name == BROKER_CONFIGURATION_SERVICE and is_live(route, survey.now)
            if is_asking and home not in told and home.database != MASTER:
                told.add(home)
                yield home, route


def hidden_by_asking(survey: Survey) -> Iterator[Finding]:
    """SBD-114: with dynamic routing the catch-all route is never reached, and what relied on it waits."""
    for home, route in _asking(survey):
        catalog = survey.model.running[home.instance]
        named = {
            each.service_name for each in catalog.databases[home.database].routes.values() if is_live(each, survey.now)
        }
        has_catch_all = None in named
        nearby = catalog.databases.values() if home.database == MSDB else (catalog.databases[home.database],)
        hidden = [name for database in nearby for name in database.services if name not in named]
        if not hidden or not has_catch_all:
            continue
        names: list[RouteName] = []
        changes = []
        for service in hidden:
            names.append(route_name(survey.model.database(home), service, names))
            local = Route(name=names[-1], service_name=service, address=LocalAddress())
            changes.append(RouteCreated(database=home.database, route=local))
        yield finding(
            "SBD-114",
            subject(home, ObjectKind.ROUTE, route.name),
            further=tuple(subject(home, ObjectKind.SERVICE, name) for name in hidden[:_LISTED_MAX])
            if home.database != MSDB
            else (),
            fix=fix(home, *changes),
            database=home,
            services=tuple(hidden[:_LISTED_MAX]),
        )


def nobody_to_ask(survey: Survey) -> Iterator[Finding]:
    """SBD-115: dynamic routing is on, and the service that is asked is not there or does not take the question."""
    model = survey.model
    for home, route in _asking(survey):
        target = DialogTarget(ServiceName(BROKER_CONFIGURATION_SERVICE))
        if home.database == MSDB:
            ends = [survey.traveller.arrives(home.instance, target, from_target=False)]
        else:
            ends = survey.traveller.journeys(home, target)
        for end in ends:
            if end.stop is Stop.NOBODY:
                continue
            if end.home is None:
                yield finding("SBD-115", subject(home, ObjectKind.ROUTE, route.name), database=home)
                break
            service = model.database(end.home).services[ServiceName(BROKER_CONFIGURATION_SERVICE)]
            if NOTICE_CONTRACT not in service.contracts:
                added = ServiceAltered(database=end.home.database, name=service.name, adds=(NOTICE_CONTRACT,))
                yield finding(
                    "SBD-115/contract",
                    subject(home, ObjectKind.ROUTE, route.name),
                    further=(subject(end.home, ObjectKind.SERVICE, service.name),),
                    fix=fix(end.home, added),
                    database=home,
                    target=end.home,
                    contract=NOTICE_CONTRACT,
                )
                break
