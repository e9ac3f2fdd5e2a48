"""Checks of the ways that messages are meant to go: there (SBD-101 …), in at the far instance, and back."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.changes import (
    CatalogChange,
    EndpointAltered,
    RouteAltered,
    RouteCreated,
    RouteDropped,
)
from engine.core.catalog.names import spelling_in
from engine.core.catalog.route import NetworkAddress, Route, TransportAddress
from engine.core.catalog.security_changes import RemoteServiceBindingCreated, RemoteServiceBindingDropped
from engine.core.routing.decision import Classification, Origin
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MSDB, InstanceName, RemoteServiceBindingName, RouteName, ServiceName
from engine.diagnosis.dialogs import Return
from engine.diagnosis.finding import Finding, InstanceFix, ObjectKind, Phrase, Subject
from engine.diagnosis.intents import Intent, Outcome
from engine.diagnosis.journeys import Journey, Stop
from engine.diagnosis.likeness import difference
from engine.diagnosis.model import Home, database_subject, endpoint_subject, subject
from engine.diagnosis.repairs import arrives_by, fix, led_to, let_in, way_to
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, phrase

_BACK = frozenset({Stop.LOOP, Stop.BAD_ADDRESS})
"""Ends of a way back that have checks of their own."""
_EXPLAINED = frozenset({Outcome.NEAR_MISS, Outcome.OTHER_ID, Outcome.NOT_LOCAL, Outcome.SHUT_OUT, Outcome.LOOP})
"""Faults of a route for which no way back is the consequence."""


def _with(survey: Survey, *outcomes: Outcome) -> Iterator[Intent]:
    """Intents that came to one of these ends, without those whose route has expired: that is their fault."""
    for intent in survey.intents:
        is_expired = intent.route is not None and not is_live(intent.route, survey.now)
        if intent.outcome in outcomes and not is_expired:
            yield intent


def _further(intent: Intent) -> tuple[Subject, ...]:
    if intent.target is None:
        return ()
    return (subject(intent.target, ObjectKind.SERVICE, intent.meant),)


def _redirected(survey: Survey, intent: Intent) -> tuple[InstanceFix, ...]:
    """A route of the intent's own to where the service is."""
    if intent.target is None or intent.journey is None:
        return ()
    address = way_to(survey, intent.home, intent.target, intent.service, intent.broker)
    if address is None:
        return ()
    changes = led_to(survey, intent.home, intent.service, intent.journey.first.route, address)
    return fix(intent.home, *changes) if changes else ()


# --- there -----------------------------------------------------------------------------------------------------------


def no_way_there(survey: Survey) -> Iterator[Finding]:
    """SBD-101: what a database names cannot be reached from there; answers that cannot are told by SBD-102."""
    lost = {(back.target, back.initiator) for back in survey.returns if not back.arrived}
    for intent in _with(survey, Outcome.NO_ROUTE, Outcome.ASTRAY):
        if (intent.home, intent.target) in lost and not _takes_dialogs(survey, intent):
            continue
        is_astray = intent.outcome is Outcome.ASTRAY
        assert intent.journey is not None, "what failed has a way on which it did"
        yield finding(
            "SBD-101/astray" if is_astray else "SBD-101",
            intent.named_by,
            further=_further(intent),
            fix=_redirected(survey, intent),
            about=intent.service,
            service=intent.service,
            home=intent.home,
            end=intent.journey.last.instance,
            target=intent.target or phrase("another_instance"),
        )


def _takes_dialogs(survey: Survey, intent: Intent) -> bool:
    """Whether the service that is meant lists a contract; one that lists none is written to by its targets alone."""
    assert intent.target is not None, "a way back leads somewhere"
    return bool(survey.model.database(intent.target).services[intent.meant].contracts)


def missing_service(survey: Survey) -> Iterator[Finding]:
    """SBD-401: the message arrives, and nobody in the estate has the service."""
    for intent in _with(survey, Outcome.MISSING):
        assert intent.journey is not None, "what failed has a way on which it did"
        yield finding(
            "SBD-401",
            intent.named_by,
            about=intent.service,
            service=intent.service,
            end=intent.journey.last.instance,
        )


def near_miss(survey: Survey) -> Iterator[Finding]:
    """SBD-108: a name that nobody has, beside one that looks the same."""
    for intent in survey.intents:
        if intent.outcome is Outcome.NEAR_MISS:
            renamed = _renamed(survey, intent)
            is_astray = intent.named_by.kind is ObjectKind.ROUTE and not renamed
            yield finding(
                "SBD-108/astray" if is_astray else "SBD-108",
                intent.named_by,
                further=_further(intent),
                fix=renamed,
                about=intent.service,
                written=intent.service,
                meant=intent.meant,
                difference=difference(intent.service, intent.meant),
            )


def _renamed(survey: Survey, intent: Intent) -> tuple[InstanceFix, ...]:
    """The routes or the binding with the name that is meant; empty where a route would not lead to the service then."""
    database, home = survey.model.database(intent.home), intent.home
    if intent.named_by.kind is ObjectKind.BINDING:
        key = spelling_in(database.remote_service_bindings, RemoteServiceBindingName(intent.named_by.name))
        others = {each.service_name for each in database.remote_service_bindings.values()}
        if key is None or intent.meant in others:
            return ()
        old = database.remote_service_bindings[key]
        new = type(old)(old.name, intent.meant, old.user, old.is_anonymous, old.owner)
        return fix(
            home,
            RemoteServiceBindingDropped(database=home.database, name=key),
            RemoteServiceBindingCreated(database=home.database, binding=new),
        )
    alike = [route for route in database.routes.values() if route.service_name == intent.service]
    if not alike or not all(arrives_by(survey, home, route.address, intent.meant, intent.broker) for route in alike):
        return ()
    renamed: list[CatalogChange] = [
        RouteAltered(database=home.database, name=route.name, service_name=intent.meant) for route in alike
    ]
    return fix(home, *renamed)


def not_local(survey: Survey) -> Iterator[Finding]:
    """SBD-107: a LOCAL route to a service that the instance does not have."""
    for intent in _with(survey, Outcome.NOT_LOCAL):
        yield finding(
            "SBD-107",
            intent.named_by,
            further=_further(intent),
            fix=_redirected(survey, intent),
            about=intent.service,
            service=intent.service,
            instance=intent.home.instance,
        )


def useless_entry(survey: Survey) -> Iterator[Finding]:
    """SBD-107 in msdb: it lets in what is not there, and harms nobody."""
    for home, route in survey.model.routes():
        service = route.service_name
        if home.database != MSDB or service is None or isinstance(route.address, NetworkAddress | TransportAddress):
            continue
        if route.broker_instance is None and not survey.model.is_local(service, home.instance):
            yield finding(
                "SBD-107/entry",
                subject(home, ObjectKind.ROUTE, route.name),
                fix=fix(home, RouteDropped(database=home.database, name=route.name)),
                about=service,
                service=service,
                instance=home.instance,
            )


# --- in --------------------------------------------------------------------------------------------------------------


def shut_out(survey: Survey) -> Iterator[Finding]:
    """SBD-109: the service is there, and msdb has no route that lets messages in; once for each service."""
    told: set[tuple[InstanceName, str]] = set()
    for intent in _with(survey, Outcome.SHUT_OUT):
        assert intent.journey is not None, "what failed has a way on which it did"
        instance = intent.journey.last.instance
        if (instance, intent.service) in told:
            continue
        told.add((instance, intent.service))
        yield finding(
            "SBD-109",
            database_subject(Home(instance, MSDB)),
            further=(intent.named_by, *_further(intent)),
            fix=let_in(survey, Home(instance, MSDB), intent.service),
            about=intent.service,
            service=intent.service,
            instance=instance,
            origin=intent.home,
        )


def loop(survey: Survey) -> Iterator[Finding]:
    """SBD-112: instances that pass a message on to each other until it is dropped; once for each loop and service."""
    told: set[tuple[str, frozenset[InstanceName]]] = set()
    ways = [(intent.service, intent.journey) for intent in _with(survey, Outcome.LOOP)]
    ways += [(service, way) for back in survey.returns for service, way in back.failed if way.stop is Stop.LOOP]
    for service, journey in ways:
        assert journey is not None, "what failed has a way on which it did"
        turning, route = _round(journey)
        key = (service, frozenset(turning))
        if key not in told and route is not None:
            told.add(key)
            home = Home(journey.last.instance, journey.last.decision.table)
            yield finding(
                "SBD-112",
                subject(home, ObjectKind.ROUTE, route.name),
                about=service,
                service=service,
                round=" → ".join((*turning, turning[0])),
            )


def _round(journey: Journey) -> tuple[list[InstanceName], Route | None]:
    """The instances of the loop that a journey ends in, and the route by which its last one sends into it."""
    last = journey.last
    names = [hop.instance for hop in journey.hops if hop.decision.origin is Origin.OUTSIDE]
    begin = names.index(last.instance)
    turning = list(dict.fromkeys(names[begin:]))
    return turning, last.decision.route


def not_forwarding(survey: Survey) -> Iterator[Finding]:
    """SBD-111: an instance that shall pass messages on and has MESSAGE_FORWARDING off."""
    model = survey.model
    closed = {
        name: catalog.endpoint
        for name, catalog in model.catalogs.items()
        if catalog.endpoint is not None and not catalog.endpoint.is_message_forwarding_enabled
    }
    routes: dict[InstanceName, list[RouteName]] = {}
    for home, route in model.routes():
        is_onward = isinstance(route.address, NetworkAddress | TransportAddress)
        if home.database == MSDB and is_onward and not model.database(home).services:
            routes.setdefault(home.instance, []).append(route.name)
    for journey in survey.journeys:
        for hop in journey.hops:
            decision = hop.decision
            is_onward = decision.origin is Origin.OUTSIDE and decision.classification is Classification.REMOTE
            if is_onward and decision.route is not None and hop.instance in closed:
                routes.setdefault(hop.instance, []).append(decision.route.name)
    for instance, names in routes.items():
        if (endpoint := closed.get(instance)) is None:
            continue
        home = Home(instance, MSDB)
        listed = tuple(dict.fromkeys(names))
        yield finding(
            "SBD-111",
            endpoint_subject(model.catalogs[instance]),
            further=tuple(subject(home, ObjectKind.ROUTE, name) for name in listed[:20]),
            fix=fix(home, EndpointAltered(name=endpoint.name, is_message_forwarding_enabled=True)),
            instance=instance,
            route=listed[0],
        )


# --- back ------------------------------------------------------------------------------------------------------------


def no_way_back(survey: Survey) -> Iterator[Finding]:
    """SBD-102: what is sent arrives, and neither acknowledgement nor answer finds its way home."""
    explained = {
        (intent.home, intent.target)
        for intent in survey.intents
        if intent.outcome in _EXPLAINED or (intent.route is not None and not is_live(intent.route, survey.now))
    }
    for back in survey.returns:
        if back.arrived or not back.failed:
            continue
        if any(journey.stop in _BACK or _waits_for_partner(journey) for _, journey in back.failed):
            continue
        if (back.target, back.initiator) in explained:
            continue
        failed = _beginning(survey, back)
        journey = failed[0][1]
        names = tuple(name for name, _ in failed)
        yield finding(
            "SBD-102",
            database_subject(back.target),
            further=(database_subject(back.initiator), *(pair.intent.named_by for pair in back.pairs[:20])),
            fix=_led_home(survey, back),
            about=f"{back.initiator}",
            target=back.target,
            initiator=back.initiator,
            services=names,
            broker=survey.model.database(back.initiator).broker_instance,
            targets=tuple(pair.service.name for pair in back.pairs[:5]),
            end=_end_of(journey),
        )


def _beginning(survey: Survey, back: Return) -> list[tuple[ServiceName, Journey]]:
    """The services that begin the conversations: those that list no contract, if there are any."""
    services = survey.model.database(back.initiator).services
    return [each for each in back.failed if not services[each[0]].contracts] or list(back.failed)


def _waits_for_partner(journey: Journey) -> bool:
    """Whether the message is where it belongs, and the database there is a mirror copy."""
    return journey.stop is Stop.OTHER_DATABASE and journey.last.decision.status == 28018


def _end_of(journey: Journey) -> Phrase:
    if journey.stop is Stop.NOBODY:
        return phrase("address_of_nobody", address=journey.last.decision.address)
    if len(journey.hops) == 1:
        return phrase("no_route_leads")
    return phrase("ends_at", instance=journey.last.instance)


def _led_home(survey: Survey, back: Return) -> tuple[InstanceFix, ...]:
    broker = survey.model.database(back.initiator).broker_instance
    changes: list[CatalogChange] = []
    taken: list[str] = []
    for service, journey in _beginning(survey, back):
        address = way_to(survey, back.target, back.initiator, service, broker, from_target=True)
        if address is None:
            return ()
        led = led_to(survey, back.target, service, journey.first.route, address, taken)
        if not led:
            return ()
        taken += [change.route.name for change in led if isinstance(change, RouteCreated)]
        changes += led
    return fix(back.target, *changes)


def no_address_in_name(survey: Survey) -> Iterator[Finding]:
    """SBD-117: a TRANSPORT route, and a name that begins with no address."""
    told: set[tuple[Home, str]] = set()
    ways = [(intent.service, intent.home, intent.journey) for intent in _with(survey, Outcome.BAD_ADDRESS)]
    for back in survey.returns:
        if not back.arrived:
            ways += [(service, back.target, way) for service, way in back.failed if way.stop is Stop.BAD_ADDRESS]
    for service, home, journey in ways:
        assert journey is not None, "what failed has a way on which it did"
        last = journey.last
        if (home, service) in told or last.decision.route is None:
            continue
        told.add((home, service))
        where = Home(last.instance, last.decision.table)
        yield finding(
            "SBD-117",
            subject(where, ObjectKind.ROUTE, last.decision.route.name),
            about=f"{home} {service}",
            service=service,
            home=home,
        )
