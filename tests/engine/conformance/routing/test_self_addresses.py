"""Addresses that are this very instance, loops, and what they cost (routing.md 9)."""

import pytest

from engine.core.catalog.changes import EndpointAltered, EndpointDropped, RouteCreated, RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import Route, TransportAddress
from engine.core.exchange.events import ForwardedMessageDropped, ForwardedMessageSent, MessageUndeliverable
from tests.support.routing_tables import (
    ALL,
    B1,
    DELAYED,
    DROPPED,
    LOCAL,
    OTHER,
    OWN,
    REMOTE,
    end,
    inside,
    mirrored,
    outside,
    paris,
    steps,
)
from tests.support.world import World, route

SELF = ("self", "S", None, "localhost")


# ── the decision ──
def test_msdb_decides_as_if_the_message_had_come_from_outside():
    decision = inside(paris([SELF], [("n", "S", None, "lyon")], forwards=True))
    assert (decision.classification, decision.address.host, decision.table) == (REMOTE, "lyon", "msdb")
    assert decision.via.route.name == "self"


def test_going_on_to_another_address_needs_forwarding_and_without_it_the_message_is_kept():
    decision = inside(paris([SELF], [("n", "S", None, "lyon")]))
    assert end(decision) == (DELAYED, 9792)


def test_what_msdb_would_discard_is_kept_when_it_started_here():
    assert end(inside(paris([SELF]))) == (DELAYED, 9793)
    assert end(inside(paris([SELF], [ALL]))) == (DELAYED, 9796)
    assert end(inside(paris([SELF], [ALL], hosts=["S"]), broker=B1)) == (DELAYED, 9795)


def test_the_conversations_own_database_has_no_precedence_any_more():
    """routing.md 3.3 (5): for traffic from outside all databases are equal."""
    classifier = paris([SELF], [ALL], hosts=["S"], other_hosts=["S"])
    assert {inside(classifier).database for _ in range(2)} == {"Ventes", "Autre"}


def test_a_reply_through_an_address_of_its_own_needs_no_route_in_msdb():
    decision = inside(paris([SELF]), broker=OTHER, from_target=True)
    assert (decision.classification, decision.database, decision.match_step) == (LOCAL, "Autre", 0)


def test_e26_an_address_of_its_own_for_what_arrived_is_a_forward_to_itself_and_a_caution_says_so():
    loop = [("loop", "S", None, "paris")]
    assert end(outside(paris(msdb=loop))) == (DROPPED, 9792)
    decision = outside(paris(msdb=loop, forwards=True))
    assert (decision.classification, decision.address.host, decision.caution) == (REMOTE, "paris", "leads-to-itself")
    twice = inside(paris([SELF], loop, forwards=True))
    assert (twice.classification, twice.caution, twice.via.caution) == (REMOTE, "leads-to-itself", None)


def test_e27_a_mirrored_route_is_asked_not_short_cut():
    decision = inside(paris([mirrored("m", "S", OWN, "paris", "lyon")], [ALL], hosts=["S"]), broker=OWN)
    assert (*steps(decision), decision.classification, decision.via) == (1, 1, REMOTE, None)


def test_e30_an_address_derived_from_the_service_name_may_be_this_instance():
    decision = inside(
        paris([("t", None, None, "TRANSPORT")], [ALL], hosts=["tcp://paris:4022/S"]), "tcp://paris:4022/S"
    )
    assert (decision.classification, decision.database, decision.via.choose_step) == (LOCAL, "Ventes", 4)


# ── the world ──
def loop_back(*routes, **fields):
    world = World()
    far = route("Facture", "localhost")
    home = world.database("Ventes", ["Client"], far, route("Client", "localhost"), *routes)
    return world, world.instance("PARIS", home, world.database("Compta", ["Facture"]), **fields)


def test_a_loop_back_dialog_delivers_both_ways():
    world, node = loop_back()
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "payez")
    world.run(2)
    [question] = node.receive("Compta", "Facture")
    node.define(RouteCreated(database="Compta", route=route("Client", "paris")))
    node.say("Compta", question.conversation_handle, "payé")
    world.run(2)
    assert [row.message_body.decode() for row in node.receive("Ventes", "Client")] == ["payé"]
    assert node.view("Ventes").transmission_queue_total == node.view("Compta").transmission_queue_total == 0


def test_a_loop_back_dialog_to_a_database_without_the_service_ends_with_8490():
    """E12 from outside, which a loop-back counts as: the target database answers with an error."""
    world, node = loop_back()
    broker = node.instance.catalog.databases["Ventes"].broker_instance
    node.say("Ventes", node.begin("Ventes", "Client", "Facture", to_broker_instance=broker), "x")
    world.run(5)
    [error] = node.receive("Ventes", "Client")
    assert "<Code>-8490</Code>" in error.message_body.decode("utf-16")


def test_e25_without_a_started_endpoint_there_is_no_short_cut_but_a_wait():
    world, node = loop_back()
    node.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "x")
    assert node.statuses("Ventes") == {9666}
    node.define(EndpointDropped(name="Broker"))
    world.run(15)
    assert node.statuses("Ventes") == {9748}


def test_e26_what_leads_to_itself_for_ever_ends_with_its_hops():
    """PARIS ──▶ HUB ──▶ HUB ──▶ … 11285; the sender keeps it."""
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"], route("Facture", "hub")))
    hub = world.instance("HUB", [RouteCreated(database="msdb", route=route("Facture", "hub"))], forwards=True)
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "x")
    world.run(3)
    assert [event.number for event in hub.told(ForwardedMessageDropped)] == [11285]
    hops = [event.hops_remaining for event in hub.told(ForwardedMessageSent)]
    assert hops == sorted(hops, reverse=True) == list(range(hops[0], hops[-1] - 1, -1))
    assert node.view("Ventes").transmission_queue_total == 1


def test_e26_without_forwarding_there_is_no_loop():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"], route("Facture", "hub")))
    hub = world.instance("HUB", [RouteCreated(database="msdb", route=route("Facture", "hub"))])
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "x")
    world.run(3)
    assert hub.told(ForwardedMessageSent) == []
    assert {event.number for event in hub.told(MessageUndeliverable)} == {9792}


def test_e28_a_stopped_forwarder_neither_receives_nor_forwards_and_delivers_inside():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    passing = [RouteCreated(database="msdb", route=route("Prüfung", "lyon"))]
    hub = world.instance("HUB", world.database("Werk", ["Client", "Lager"]), passing, forwards=True)
    hub.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    node.say("Ventes", node.begin("Ventes", "Client", "Prüfung"), "x")
    hub.say("Werk", hub.begin("Werk", "Client", "Lager"), "drinnen")
    world.run(3)
    assert node.statuses("Ventes") == {9754}
    assert [row.message_body.decode() for row in hub.receive("Werk", "Lager")] == ["drinnen"]
    assert hub.told(MessageUndeliverable) == hub.told(ForwardedMessageSent) == []


@pytest.mark.parametrize("forwards", [False, True])
def test_e29_a_transport_route_of_msdb_forwards(forwards):
    """PARIS ──▶ HUB ──▶ the address the service is named after."""
    world = World()
    service = "tcp://lyon:4022/Entrepôt"
    node = world.instance("PARIS", world.database("Ventes", ["Client"], route(service, "hub")))
    passing = [
        RouteDropped(database="msdb", name="AutoCreatedLocal"),
        RouteCreated(database="msdb", route=Route(name="anyone", address=TransportAddress())),
    ]
    world.instance("HUB", passing, forwards=forwards)
    lyon = world.instance("LYON", world.database("Stock", [service], route("Client", "paris")))
    node.say("Ventes", node.begin("Ventes", "Client", service), "x")
    world.run(2)
    assert len(lyon.receive("Stock", service)) == forwards
