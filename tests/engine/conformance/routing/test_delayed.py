"""DELAYED and reclassification: when it happens, what wakes it, and the number of every reason (routing.md 7)."""

import pytest

from engine.core.catalog.changes import (
    BrokerSwitched,
    DatabaseStateSet,
    EndpointAltered,
    MessageTypeCreated,
    QueueCreated,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState, MessageType, Queue, Service
from engine.core.catalog.route import LocalAddress
from engine.core.exchange.events import MessageClassified, MessageUndeliverable
from engine.core.exchange.replies import Refusal
from tests.support.world import World, route

CONFIGURATION = "SQL/ServiceBroker/BrokerConfiguration"
NO_CATCH_ALL = RouteDropped(database="Ventes", name="AutoCreatedLocal")


@pytest.fixture
def world():
    return World()


@pytest.fixture
def paris(world):
    return world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))


@pytest.fixture
def lyon(world):
    return world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))


def send(node, service="Entrepôt", **fields):
    node.say("Ventes", node.begin("Ventes", "Client", service, **fields), "x")


def status(node):
    """The one number of whatever waits."""
    [number] = node.statuses("Ventes")
    return number


def classified(node):
    return len(node.told(MessageClassified))


# ── the numbers ──
def test_9750_no_route_matches(paris):
    paris.define(NO_CATCH_ALL)
    send(paris, "Prüfung")
    assert status(paris) == 9750


def test_9796_local_matched_and_the_service_is_not_here(paris):
    send(paris, "Prüfung")
    assert status(paris) == 9796


def test_9795_the_id_is_of_no_database_here(world, paris):
    send(paris, "Client", to_broker_instance=world.entropy.new_uuid())
    assert status(paris) == 9795


def test_9770_the_configuration_service_is_being_asked(paris):
    paris.define(RouteCreated(database="Ventes", route=route(CONFIGURATION)))
    send(paris, "Prüfung")
    assert 9770 in paris.statuses("Ventes")


def test_9792_and_9793_for_what_came_back_from_an_address_of_its_own(world, paris):
    paris.define(
        RouteCreated(database="Ventes", route=route("Prüfung", "paris")),
        RouteDropped(database="msdb", name="AutoCreatedLocal"),
    )
    send(paris, "Prüfung")
    assert status(paris) == 9793
    paris.define(RouteCreated(database="msdb", route=route("Prüfung", "lyon")))
    world.run(11)
    assert status(paris) == 9792


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (DatabaseStateSet(database="msdb", state=DatabaseState.OFFLINE), 9788),
        (BrokerSwitched(database="msdb", is_enabled=False), 9789),
        (DatabaseStateSet(database="msdb", state=DatabaseState.SINGLE_USER), 9790),
    ],
)
def test_9788_9789_9790_nothing_arrives_while_msdb_is_out_of_order(world, paris, lyon, change, number):
    lyon.define(change)
    send(paris)
    world.run(3)
    assert {event.number for event in lyon.told(MessageUndeliverable)} == {number}
    assert paris.view("Ventes").transmission_queue_total == 1


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (BrokerSwitched(database="Ventes", is_enabled=False), 9791),
        (DatabaseStateSet(database="Ventes", state=DatabaseState.SINGLE_USER), 28075),
    ],
)
def test_9791_28075_nothing_leaves_a_database_that_is_out_of_order(paris, change, number):
    paris.define(change)
    send(paris)
    assert status(paris) == number


def test_9785_a_service_name_that_is_no_address(paris):
    from engine.core.catalog.route import Route, TransportAddress

    paris.define(NO_CATCH_ALL, RouteCreated(database="Ventes", route=Route(name="t", address=TransportAddress())))
    send(paris, "Prüfung")
    assert status(paris) == 9785


def test_9794_a_mirrored_route_waits_for_its_manager(world, paris):
    from engine.core.catalog.route import NetworkAddress
    from engine.core.vocabulary.messages import TcpAddress

    broker = world.entropy.new_uuid()
    mirror = NetworkAddress("TCP://nantes:4022", TcpAddress("nantes", 4022))
    mirrored = route("Prüfung", "lyon", broker_instance=broker, mirror_address=mirror)
    paris.define(RouteCreated(database="Ventes", route=mirrored))
    send(paris, "Prüfung", to_broker_instance=broker)
    assert status(paris) == 9794


def test_the_endpoint_is_not_delayed_its_transmission_is(paris):
    send(paris, "Prüfung")
    [view] = paris.view("Ventes").conversation_endpoints
    assert view.state.value == "CO"
    [row] = paris.view("Ventes").transmission_queue
    assert row.transmission_status.startswith("9796")


# ── (a) 10 s after a change that routing looks at ──
WAKING = {
    "route created": [RouteCreated(database="Ventes", route=route("Prüfung"))],
    "route altered": [RouteAltered(database="Ventes", name="AutoCreatedLocal", address=LocalAddress())],
    "route dropped": [NO_CATCH_ALL],
    "service created": [
        QueueCreated(database="Ventes", queue=Queue("dbo.Neu")),
        ServiceCreated(database="Ventes", service=Service("Neu", "dbo.Neu", ("DEFAULT",))),
    ],
    "broker switched off": [BrokerSwitched(database="Ventes", is_enabled=False)],
    "forwarding switched on": [EndpointAltered(name="Broker", is_message_forwarding_enabled=True)],
    "endpoint stopped": [EndpointAltered(name="Broker", state=EndpointState.STOPPED)],
    "database state": [DatabaseStateSet(database="Ventes", state=DatabaseState.SINGLE_USER)],
}


@pytest.mark.parametrize("changes", WAKING.values(), ids=WAKING.keys())
def test_a_routing_relevant_change_is_looked_at_within_10_seconds(world, paris, changes):
    send(paris, "Prüfung")
    asked = _count_questions(paris)
    paris.define(*changes)
    assert asked() == 0, "not at once"
    world.run(9.9)
    assert asked() == 0
    world.run(0.2)
    assert asked() == 1


def _count_questions(node):
    """How often it is asked from now on where messages go."""
    ways = node.instance._broker.ways_out
    questions = []
    original = ways.of
    ways.of = lambda *given, **fields: questions.append(given) or original(*given, **fields)
    return lambda: len(questions)


def test_a_change_routing_does_not_look_at_wakes_nobody(world, paris):
    send(paris, "Prüfung")
    asked = _count_questions(paris)
    paris.define(MessageTypeCreated(database="Ventes", message_type=MessageType("T")))
    world.run(30)
    assert asked() == 0


def test_c_without_any_change_a_waiting_conversation_is_classified_anew_every_60_seconds(world, paris):
    send(paris, "Prüfung")
    asked = _count_questions(paris)
    counts = []
    for _ in range(3):
        world.run(59)
        counts.append(asked())
        world.run(1)
        counts.append(asked())
    assert counts == [0, 1, 1, 2, 2, 3]


def test_a_message_that_is_sent_meanwhile_does_not_start_a_classification_of_its_own(world, paris):
    dialog = paris.begin("Ventes", "Client", "Prüfung")
    paris.say("Ventes", dialog, "0")
    asked = _count_questions(paris)
    for number in range(10):
        paris.say("Ventes", dialog, str(number))
    assert asked() == 0
    assert paris.statuses("Ventes") == {9796}


def test_a_conversation_with_a_path_is_not_classified_anew_without_cause(world, paris, lyon):
    send(paris)
    world.run(2)
    asked = _count_questions(paris)
    dialog = paris.view("Ventes").conversation_endpoints[0].conversation_handle
    for number in range(5):
        paris.say("Ventes", dialog, str(number))
        world.run(100)
    assert asked() <= 1, "once after the first acknowledgement pinned the id"


# ── E33: changes take effect together, or not at all ──
def test_e33_changes_of_one_transaction_are_seen_together(world, paris, lyon):
    """Between the drop and the creation of one statement batch nobody is classified."""
    send(paris)
    world.run(2)
    moved = route("Entrepôt", "lyon", expires_at=None)
    paris.define(
        RouteDropped(database="Ventes", name="to Entrepôt by lyon"),
        NO_CATCH_ALL,
        RouteCreated(database="Ventes", route=moved),
    )
    dialog = paris.view("Ventes").conversation_endpoints[0].conversation_handle
    paris.say("Ventes", dialog, "y")
    world.run(2)
    assert 9750 not in {event.decision.status for event in paris.told(MessageClassified)}
    assert paris.view("Ventes").transmission_queue_total == 0


def test_e33_a_batch_that_is_refused_is_never_seen_by_the_router(world, paris):
    send(paris, "Prüfung")
    reply = paris.define(
        RouteCreated(database="Ventes", route=route("Prüfung", "lyon")),
        RouteDropped(database="Ventes", name="nicht da"),
    )
    assert isinstance(reply, Refusal)
    world.run(120)
    assert status(paris) == 9796
    assert "to Prüfung by lyon" not in paris.instance.catalog.databases["Ventes"].routes
