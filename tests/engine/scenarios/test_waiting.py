"""Scenarios 2XX: messages that wait, each with its number, and what makes them go on."""

from itertools import pairwise

from engine.core.catalog.changes import (
    BrokerSwitched,
    EndpointAltered,
    EndpointDropped,
    QueueAltered,
    RouteCreated,
    RouteDropped,
)
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.commands import Receive
from engine.core.exchange.events import ForwardedMessageDropped, MessageUndeliverable
from engine.core.exchange.replies import Refusal
from tests.support.world import World, route

STOP = EndpointAltered(name="Broker", state=EndpointState.STOPPED)
START = EndpointAltered(name="Broker", state=EndpointState.STARTED)


def paris_and_lyon(*routes_of_paris):
    world = World()
    routes = routes_of_paris or (route("Entrepôt", "lyon"),)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *routes))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, paris, lyon


def test_201_a_stopped_far_endpoint_keeps_messages_at_home_and_a_start_drains_them():
    """PARIS ──╳ LYON."""
    world, paris, lyon = paris_and_lyon()
    lyon.define(STOP)
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(5):
        paris.say("Ventes", dialog, str(number))
    world.run(3)
    assert paris.statuses("Ventes") == {9754}
    assert paris.view("Ventes").transmission_queue_total == 5
    lyon.define(START)
    world.run(75)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"0", b"1", b"2", b"3", b"4"]


def test_202_ones_own_stopped_or_absent_endpoint_has_a_number_of_its_own():
    """PARIS (stopped) ── LYON."""
    world, paris, _ = paris_and_lyon()
    paris.define(STOP)
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    assert paris.statuses("Ventes") == {9666}
    paris.define(EndpointDropped(name="Broker"))
    world.run(15)
    assert paris.statuses("Ventes") == {9748}


def test_203_without_a_route_a_message_waits_with_9750_and_a_new_route_lets_it_go():
    """PARIS ── ? ── LYON: no catch-all, no route."""
    world, paris, lyon = paris_and_lyon()
    paris.define(
        RouteDropped(database="Ventes", name="AutoCreatedLocal"),
        RouteDropped(database="Ventes", name="to Entrepôt by lyon"),
    )
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    assert paris.statuses("Ventes") == {9750}
    paris.define(RouteCreated(database="Ventes", route=route("Entrepôt", "lyon")))
    world.run(12)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"x"]


def test_204_a_catch_all_to_here_without_the_service_here_says_9796():
    """PARIS with AutoCreatedLocal only."""
    _, paris, _ = paris_and_lyon()
    dialog = paris.begin("Ventes", "Client", "Nirgends")
    paris.say("Ventes", dialog, "x")
    assert paris.statuses("Ventes") == {9796}


def test_205_a_disabled_broker_holds_everything_at_home_with_9791():
    """PARIS (Ventes disabled) ── LYON."""
    world, paris, lyon = paris_and_lyon()
    paris.define(BrokerSwitched(database="Ventes", is_enabled=False))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    assert paris.statuses("Ventes") == {9791}
    paris.define(BrokerSwitched(database="Ventes", is_enabled=True))
    world.run(15)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"x"]


def test_206_what_comes_for_a_disabled_queue_waits_in_the_transmission_queue_of_its_target():
    """PARIS ──▶ LYON (queue off): acknowledged, and parked there (protocol.md 4)."""
    world, paris, lyon = paris_and_lyon()
    lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=False))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    world.run(3)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert lyon.statuses("Stock") == {9617}
    assert lyon.do(Receive, database="Stock", queue="dbo.Entrepôt").number == 9617
    lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=True))
    world.run(10)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"x"]


def test_207_an_instance_that_does_not_forward_discards_what_is_not_its_own():
    """PARIS ──▶ HUB ╳ BERLIN: forwarding off, 9792 at the hub, kept at home."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    hub = world.instance("HUB", [RouteCreated(database="msdb", route=route("Prüfung", "berlin"))])
    dialog = paris.begin("Ventes", "Client", "Prüfung")
    paris.say("Ventes", dialog, "x")
    world.run(3)
    assert {event.number for event in hub.told(MessageUndeliverable)} == {9792}
    assert paris.view("Ventes").transmission_queue_total == 1


def test_208_a_routing_loop_ends_when_the_hops_are_used_up():
    """PARIS ──▶ HUB ◀──▶ NABE: each sends it to the other until 11285."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    loop = [RouteCreated(database="msdb", route=route("Prüfung", host)) for host in ("nabe", "hub")]
    hub = world.instance("HUB", loop[:1], forwards=True)
    nabe = world.instance("NABE", loop[1:], forwards=True)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Prüfung"), "x")
    world.run(3)
    dropped = [*hub.told(ForwardedMessageDropped), *nabe.told(ForwardedMessageDropped)]
    assert [event.number for event in dropped] == [11285]


def test_209_retries_double_their_wait_and_start_again_after_progress():
    """PARIS ──▶ LYON whose answers are lost: 4, 8, 16, 32, 64 s between attempts (protocol.md 3.5)."""
    world = World(loss=1.0)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    attempts, before = [], 0
    for second in range(200):
        world.run(1)
        if world.transmissions > before:
            attempts.append(second)
            before = world.transmissions
    waits = [later - earlier for earlier, later in pairwise(attempts)]
    for wait, expected in zip(waits, (4, 8, 16, 32, 64), strict=True):
        assert expected - 1 <= wait <= expected * 1.25 + 1


def test_210_a_self_address_goes_through_msdb_and_arrives():
    """PARIS ──▶ tcp://paris:4022 ──▶ PARIS: as if it came from outside (routing.md 9)."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Facture"], route("Facture", "paris")))
    dialog = paris.begin("Ventes", "Client", "Facture")
    paris.say("Ventes", dialog, "x")
    world.run(3)
    assert [row.message_body for row in paris.receive("Ventes", "Facture")] == [b"x"]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_211_a_catalog_of_another_revision_is_refused_and_changes_nothing():
    """PARIS at revision 0 is told to go from 7 to 8."""
    from engine.core.exchange.commands import ApplyCatalog

    _, paris, _ = paris_and_lyon()
    reply = paris.do(ApplyCatalog, base=7, revision=8, changes=(STOP,))
    assert isinstance(reply, Refusal)
    assert paris.instance.catalog.endpoint.state is EndpointState.STARTED
    assert paris.instance.catalog.revision == 0
