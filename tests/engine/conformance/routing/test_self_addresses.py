"""Addresses that are this very instance, loops, and what they cost (routing.md 9)."""

import pytest

from engine.core.catalog.changes import EndpointAltered, EndpointDropped, RouteCreated, RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import Route, TransportAddress
from engine.core.exchange.events import ForwardedMessageDropped, ForwardedMessageSent, MessageUndeliverable
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.proof import Circumstances, proof_of
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
def test_what_msdb_leads_back_into_the_instance_goes_there_over_a_connection():
    decision = inside(paris([SELF], [ALL], hosts=["S"]))
    assert (decision.classification, decision.database, decision.address.host) == (LOCAL, "Ventes", "localhost")
    assert inside(paris([ALL], hosts=["S"])).address is None


def test_the_proof_says_over_which_connection_a_loop_back_goes():
    asked = Circumstances(target=DialogTarget("S"))
    lines = proof_of(inside(paris([SELF], [ALL], hosts=["S"])), asked)
    assert "The next hop is this very instance: the message goes on as if it had come over the network." in lines
    assert lines[-1] == (
        "Outcome: delivered inside this instance, over a connection to its own address TCP://localhost:4022, "
        "to database Ventes."
    )
    assert proof_of(inside(paris([ALL], hosts=["S"])), asked)[-1] == (
        "Outcome: delivered inside this instance, to database Ventes."
    )
    lines = proof_of(inside(paris([SELF], [ALL], other_hosts=["S"]), broker=OWN), asked)
    assert lines[-1].startswith("Outcome: sent to TCP://localhost:4022, this very instance, which answers the sender")


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
