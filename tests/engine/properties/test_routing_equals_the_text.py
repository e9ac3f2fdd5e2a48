"""The indexed router and a literal transcription of the text agree, whatever the tables, their changes and the time."""

from collections import Counter
from fractions import Fraction
from math import lcm
from uuid import UUID

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.core.catalog.changes import RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState, Service
from engine.core.catalog.revision import apply_change, copy
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, TransportAddress
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import Classification
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.settings import WhilePending
from tests.support import routing_text
from tests.support.thoroughness import examples

OWN, OTHER, FAR, FARTHER = (UUID(int=number) for number in (1, 2, 3, 4))
CONFIGURATION = routing_text.CONFIGURATION
SERVICES = ("S", "s", "S ", "T", "tcp://lyon:4022/S", "TCP://paris/S", CONFIGURATION)
NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")


def mostly(usual, others):
    return st.sampled_from([usual] * 6 + list(others))


tcp_addresses = st.builds(
    lambda host, port, end: NetworkAddress(f"TCP://{host}:{port}{end}", TcpAddress(host.lower(), port)),
    st.sampled_from(["lyon", "LYON", "berlin", "paris", "localhost"]),
    mostly(4022, [4023]),
    mostly("", ["/"]),
)
services = st.sampled_from(["S"] * 12 + list(SERVICES))
brokers = st.sampled_from([OWN, OTHER, FAR, FARTHER])
instants = st.integers(0, 6).map(float)
expiries = st.none() | instants


@st.composite
def routes(draw):
    name, expires_at = draw(st.sampled_from(NAMES)), draw(expiries)
    shape = draw(st.sampled_from(["any", "any", "name", "name", "full", "full", "full", "mirrored", "asks"]))
    address = draw(st.one_of(st.just(LocalAddress()), tcp_addresses, tcp_addresses))
    if shape == "any":
        address = draw(st.just(address) | st.just(TransportAddress()))
        return Route(name=name, address=address, expires_at=expires_at)
    if shape == "asks":
        return Route(name=name, address=address, expires_at=expires_at, service_name=CONFIGURATION)
    service = draw(services)
    if shape == "name" or service == CONFIGURATION:
        return Route(name=name, address=address, expires_at=expires_at, service_name=service)
    mirror = draw(tcp_addresses) if shape == "mirrored" else None
    if mirror is not None:
        address = NetworkAddress("TCP://lyon:4023", TcpAddress("lyon", 4023))
        assume(mirror.tcp != address.tcp)
    return Route(
        name=name,
        address=address,
        expires_at=expires_at,
        service_name=service,
        broker_instance=draw(brokers),
        mirror_address=mirror,
    )


def tables(max_size=8):
    return st.lists(routes(), max_size=max_size, unique_by=lambda route: route.name).map(
        lambda made: {route.name: route for route in made}
    )


def _similar(broker, address, expires_at, is_mirrored):
    mirror = NetworkAddress("TCP://metz:4022", TcpAddress("metz", 4022))
    is_mirrored = is_mirrored and broker is not None and isinstance(address, NetworkAddress)
    return Route(
        name="",
        service_name="S",
        broker_instance=broker,
        address=address,
        expires_at=expires_at,
        mirror_address=mirror if is_mirrored else None,
    )


def fans(*ids):
    """Tables with many equally good answers: routes to S by few ids and few addresses, so that some count as one."""
    few = [NetworkAddress(text, TcpAddress("lyon", 4022)) for text in ("TCP://lyon:4022", "tcp://LYON:4022/")]
    addresses = st.sampled_from([*few, few[0], LocalAddress()]) | tcp_addresses
    made = st.builds(
        _similar, st.sampled_from(ids), addresses, mostly(None, [3.0]), st.sampled_from([False, False, True])
    )
    return st.lists(made, min_size=2, max_size=8).map(
        lambda several: {
            name: msgspec.structs.replace(route, name=name) for name, route in zip(NAMES, several, strict=False)
        }
    )


def in_msdb(table):
    return {f"msdb {name}": msgspec.structs.replace(route, name=f"msdb {name}") for name, route in table.items()}


def database(name, broker, hosted, table=None, state=DatabaseState.ONLINE, is_enabled=True):
    return DatabaseCatalog(
        name=name,
        broker_instance=broker,
        is_broker_enabled=is_enabled,
        state=state,
        services={service: Service(service, "dbo.q") for service in hosted},
        routes=table or {},
    )


@st.composite
def instances(draw):
    hosted, states = st.sets(services, max_size=2), mostly(DatabaseState.ONLINE, DatabaseState)
    own_states = mostly(DatabaseState.ONLINE, [DatabaseState.SINGLE_USER])
    system_states = mostly(DatabaseState.ONLINE, [DatabaseState.OFFLINE, DatabaseState.SINGLE_USER])
    own = draw(tables() | fans(FAR, FARTHER, OWN) | fans(None))
    system = in_msdb(draw(tables(5) | fans(None, OTHER)))
    is_on = mostly(True, [False])
    databases = [
        database("Autre", OTHER, draw(hosted), {}, draw(states), draw(is_on)),
        database("Ventes", OWN, draw(hosted), own, draw(own_states), draw(is_on)),
        database("msdb", UUID(int=9), draw(hosted), system, draw(system_states), draw(is_on)),
    ]
    state = draw(mostly(EndpointState.STARTED, EndpointState))
    endpoint = Endpoint("e", 4022, state, is_message_forwarding_enabled=draw(st.booleans()))
    return InstanceCatalog(name="PARIS", databases={each.name: each for each in databases}, endpoint=endpoint)


targets = st.builds(DialogTarget, services, st.none() | brokers)
origins = st.sampled_from(["Ventes", "Ventes", None])
questions = st.tuples(origins, st.just(DialogTarget("S")) | targets, st.booleans(), instants)
changes = st.one_of(
    st.builds(RouteCreated, database=st.just("Ventes"), route=routes()),
    st.builds(
        RouteAltered,
        database=st.just("Ventes"),
        name=st.sampled_from(NAMES),
        address=st.none() | tcp_addresses | st.just(LocalAddress()),
        service_name=st.none() | services,
        broker_instance=st.none() | brokers,
        expires_at=expiries,
    ),
    st.builds(RouteDropped, database=st.just("Ventes"), name=st.sampled_from(NAMES)),
)
pendings = st.sets(st.tuples(st.sampled_from(["Ventes", "msdb"]), services), max_size=2)


def ask(classifier, origin, target, from_target, now, **fields):
    if origin is None:
        return classifier.from_outside(target, now, from_target=from_target, **fields)
    return classifier.from_inside(origin, target, now, from_target=from_target, **fields)


def end_of(here, classification, route, address, database, status):
    """An end as the transcription words it; route names are unique in the whole instance."""
    known = {each.name: each for home in here.databases.values() for each in home.routes.values()}
    key = routing_text.same(known[route]) if route is not None else None
    return classification.value, key, address, database, status


def decided(here, decision):
    name = decision.route.name if decision.route is not None else None
    return end_of(here, decision.classification, name, decision.address, decision.database, decision.status)


def ends_of(here, decision):
    """Every end of an explained decision with its weight."""
    if not decision.alternatives:
        return {decided(here, decision): 1}
    found = Counter()
    for each in decision.alternatives:
        weight = Fraction(each.weight).limit_denominator(1000)
        found[end_of(here, each.classification, each.route, each.address, each.database, each.status)] += weight
    return found


@examples(350)
@given(
    instances(), pendings, st.sampled_from(WhilePending), st.lists(st.one_of(changes, questions, questions), min_size=3)
)
def test_the_indexed_router_comes_to_the_ends_of_the_text(here, pending, while_pending, happenings):
    """After any changes of routes, at instants that go forwards and backwards; all alternatives, with their weights."""
    classifier = MessageClassifier(here, while_pending)
    classifier.pending |= pending
    no_asking = pending if while_pending is WhilePending.LITERAL else set()
    for happening in happenings:
        if not isinstance(happening, tuple):
            here = copy(here)
            try:
                apply_change(here, happening)
            except CatalogError:
                continue
            classifier.redefine(here, (happening,))
            continue
        origin, target, from_target, now = happening
        decision = ask(classifier, origin, target, from_target, now)
        expected = routing_text.ends(
            here, origin, target.service_name, target.broker_instance, from_target, now, no_asking
        )
        if origin is not None:
            expected = routing_text.kept_at_home(expected)
        assert ends_of(here, decision) == expected
        assert decided(here, decision) in expected


@examples(60)
@given(instances(), questions, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_decides_nothing_but_whose_turn_it_is(here, question, dice):
    other = copy(here)
    for home in other.databases.values():
        rows = list(home.routes.items())
        dice.shuffle(rows)
        home.routes = type(home.routes)(rows)
    one, two = (ask(MessageClassifier(each), *question) for each in (here, other))
    assert ends_of(here, one) == ends_of(other, two)
    assert (one.via or one).match_step == (two.via or two).match_step


@examples(60)
@given(instances(), questions, tcp_addresses | st.just(LocalAddress()), expiries)
def test_a_route_that_a_conversation_cannot_match_changes_nothing_for_it(here, question, address, expires_at):
    origin, target, _, _ = question
    service, broker = "another", None
    if target.broker_instance is not None and target.service_name != CONFIGURATION:
        service, broker = target.service_name, UUID(int=77)
    new = Route(name="new", address=address, service_name=service, broker_instance=broker, expires_at=expires_at)
    more = copy(here)
    apply_change(more, RouteCreated(database=origin or "msdb", route=new))
    one, two = (ask(MessageClassifier(each), *question) for each in (here, more))
    assert ends_of(here, one) == ends_of(more, two)
    assert (one.via or one).match_step == (two.via or two).match_step


@examples(60)
@given(instances(), questions)
def test_an_expired_route_is_as_good_as_none(here, question):
    now = question[-1]
    fewer = copy(here)
    for home in fewer.databases.values():
        gone = [name for name, route in home.routes.items() if route.expires_at is not None and route.expires_at <= now]
        for name in gone:
            del home.routes[name]
    one, two = (ask(MessageClassifier(each), *question) for each in (here, fewer))
    assert ends_of(here, one) == ends_of(fewer, two)
    assert (one.via or one).match_step == (two.via or two).match_step


@examples(60)
@given(instances(), st.lists(questions, min_size=1, max_size=8))
def test_the_fast_path_draws_and_decides_as_the_explained_one(here, several):
    explained, fast = MessageClassifier(here), MessageClassifier(here)
    for question in several * 2:
        one, two = ask(explained, *question), ask(fast, *question, explain=False)
        blank = {"candidates": (), "losses": (), "others": 0, "alternatives": ()}
        via = msgspec.structs.replace(one.via, **blank) if one.via is not None else None
        assert msgspec.structs.replace(one, via=via, **blank) == two


@examples(60)
@given(instances(), questions)
def test_the_weights_of_all_ends_are_one_together(here, question):
    alternatives = ask(MessageClassifier(here), *question).alternatives
    assert len(alternatives) != 1
    assert not alternatives or sum(each.weight for each in alternatives) == pytest.approx(1)


@examples(60)
@given(instances(), questions)
def test_every_route_of_the_table_is_accounted_for_exactly_once(here, question):
    """The chosen route, or one loss with its clause. Before a table was read there is nothing to account for."""
    decision = ask(MessageClassifier(here), *question)
    for each in (decision, decision.via):
        if each is not None and each.match_step:
            accounted = [loss.route for loss in each.losses] + ([each.route.name] if each.route is not None else [])
            assert sorted(accounted) == sorted(here.databases[each.table].routes)
            assert each.others == 0
            assert set(each.candidates) <= set(here.databases[each.table].routes)
            assert each.route is None or each.route.name in each.candidates


def test_what_alternates_in_step_still_meets_everything():
    """Two names of this very instance, and behind each of them two databases that have the service."""
    ways = {
        name: Route(name=name, address=NetworkAddress(f"TCP://{host}:4022", TcpAddress(host, 4022)))
        for name, host in (("a", "paris"), ("b", "localhost"))
    }
    databases = [
        database("Autre", OTHER, {"S"}),
        database(
            "Ventes", OWN, {"S"}, {name: msgspec.structs.replace(way, service_name="S") for name, way in ways.items()}
        ),
        database("msdb", UUID(int=9), set(), {"r": Route(name="r", address=LocalAddress())}),
    ]
    endpoint = Endpoint("e", 4022, EndpointState.STARTED)
    here = InstanceCatalog(name="PARIS", databases={each.name: each for each in databases}, endpoint=endpoint)
    classifier = MessageClassifier(here)
    met = Counter()
    for _ in range(8):
        decision = ask(classifier, "Ventes", DialogTarget("S"), False, 0.0)
        met[decision.via.route.name, decision.database] += 1
    assert met == dict.fromkeys([("a", "Autre"), ("a", "Ventes"), ("b", "Autre"), ("b", "Ventes")], 2)


@examples(60)
@given(instances(), fans(FAR, FARTHER, OWN), st.just(("Ventes", DialogTarget("S"), False, 0.0)) | questions)
def test_taking_turns_visits_every_end_as_often_as_it_weighs(here, fan, question):
    home = here.databases["Ventes"]
    home.routes = {**home.routes, **fan}
    whole = ask(MessageClassifier(here), *question)
    expected = ends_of(here, whole)
    # Of each alternative by itself: an end that two of them lead to weighs more, and comes round no sooner.
    rounds = lcm(*(Fraction(each.weight).limit_denominator(1000).denominator for each in whole.alternatives))
    classifier = MessageClassifier(here)
    visits = Counter(decided(here, ask(classifier, *question, explain=False)) for _ in range(rounds))
    assert visits == {end: weight * rounds for end, weight in expected.items()}


@examples(60)
@given(instances(), questions, st.booleans())
def test_a_conversation_that_has_a_path_stays_on_it_or_goes_on_to_another(here, question, advances):
    origin, target, from_target, now = question
    assume(origin is not None)
    classifier = MessageClassifier(here)
    first = classifier.from_inside(origin, target, now, from_target=from_target)
    again = classifier.from_inside(origin, target, now, from_target=from_target, before=first, advances=advances)
    assert decided(here, again) in ends_of(here, first)
    if not advances and first.classification is Classification.REMOTE:
        assert (again.route, again.address) == (first.route, first.address)
    if advances and first.via is None and first.classification is Classification.REMOTE and first.alternatives:
        assert again.route != first.route
