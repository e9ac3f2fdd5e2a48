"""Adjacent broker connections against protocol.md 7.1, as an instance decides about them."""

import pytest

from engine.core.catalog.changes import EndpointAltered
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import ConnectionStateChanged
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from tests.support.world import Node, World, route

LYON = TcpAddress("lyon", 4022)


@pytest.fixture
def world() -> World:
    return World()


def paris_of(world: World) -> Node:
    return world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))


def lyon_of(world: World) -> Node:
    return world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))


def attempts(node: Node) -> int:
    """How often a connection has come to an end or into being."""
    return len(node.told(ConnectionStateChanged))


def say(node: Node, count: int = 1) -> None:
    for _ in range(count):
        node.say("Ventes", node.begin("Ventes", "Client", "Entrepôt"), "bonjour")


def test_a_connection_is_opened_on_demand_and_not_before(world: World):
    paris, _ = paris_of(world), lyon_of(world)
    world.run(600)
    assert LYON not in paris.links
    say(paris)
    world.run(1)
    assert LYON in paris.links


def test_one_connection_carries_all_conversations_to_an_address(world: World):
    paris, lyon = paris_of(world), lyon_of(world)
    say(paris, 20)
    world.run(3)
    assert lyon.view("Stock").queues[0].ready == 20
    assert attempts(paris) == 1


def test_a_failed_connect_suppresses_the_destination_for_60_seconds(world: World):
    paris = paris_of(world)
    say(paris)
    world.run(59)
    assert [event.error for event in paris.told(ConnectionStateChanged)] == [9754]
    say(paris, 3)
    world.run(0.9)
    assert attempts(paris) == 1
    world.run(1)
    assert attempts(paris) == 2


def test_a_disconnect_suppresses_the_destination_for_15_seconds(world: World):
    paris, lyon = paris_of(world), lyon_of(world)
    say(paris)
    world.run(1)
    paris.lose(LYON)
    say(paris)
    world.run(14)
    assert LYON not in paris.links
    world.run(2)
    assert LYON in paris.links
    assert lyon.view("Stock").queues[0].ready == 2


def test_6_a_stopped_endpoint_closes_connections_and_dials_nobody(world: World):
    paris, _ = paris_of(world), lyon_of(world)
    say(paris)
    world.run(1)
    paris.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    assert paris.links == {}
    say(paris)
    world.run(120)
    assert paris.links == {}


def test_6_a_started_endpoint_sends_at_once_what_has_waited_for_it(world: World):
    """Each conversation, also one whose next try is a minute away, and without waiting for the routes' 10 seconds."""
    paris, lyon = paris_of(world), lyon_of(world)
    paris.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    say(paris, 3)
    world.run(300)
    paris.define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    say(paris)
    world.run(1)
    assert lyon.view("Stock").queues[0].ready == 4


@pytest.mark.parametrize(
    "change",
    [
        EndpointAltered(name="Broker", encryption="DISABLED"),
        EndpointAltered(name="Broker", authentication="WINDOWS KERBEROS"),
        EndpointAltered(name="Broker", is_message_forwarding_enabled=True),
    ],
    ids=["encryption", "authentication", "forwarding"],
)
def test_6_an_endpoint_that_is_altered_drops_all_connections_and_messages_are_sent_again(
    world: World, change: EndpointAltered
):
    paris, lyon = paris_of(world), lyon_of(world)
    say(paris)
    world.run(1)
    paris.define(change)
    assert paris.links == {}
    say(paris)
    world.run(20)
    assert LYON in paris.links
    assert lyon.view("Stock").queues[0].ready == 2


def test_6_an_endpoint_that_is_altered_to_what_it_is_keeps_its_connections(world: World):
    paris, _ = paris_of(world), lyon_of(world)
    say(paris)
    world.run(1)
    paris.define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    assert LYON in paris.links


def test_a_connection_that_was_closed_without_an_error_is_opened_again_at_once(world: World):
    paris, lyon = paris_of(world), lyon_of(world)
    say(paris)
    world.run(1)
    paris.hang_up(LYON)
    paris.feed(LinkChange(address=LYON, state=LinkState.CLOSED, detail="9760"))
    say(paris)
    world.run(1)
    assert LYON in paris.links
    assert lyon.view("Stock").queues[0].ready == 2
