"""Scenarios 1XX: messages that arrive. Each docstring draws the network."""

import pytest

from engine.core.exchange.events import (
    ConversationStateChanged,
    ForwardedMessageSent,
    MessageClassified,
    MessageDelivered,
    MessageUndeliverable,
    RemoteMessageAcknowledged,
)
from engine.core.routing.decision import Classification
from tests.support.world import World, route

BODIES = [b"%d" % number for number in range(100)]


def bodies(messages):
    return [message.message_body for message in messages]


def test_101_a_hundred_messages_arrive_in_order_and_leave_the_transmission_queue():
    """PARIS ──▶ LYON."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for body in BODIES:
        paris.say("Ventes", dialog, body)
    assert paris.view("Ventes").transmission_queue_total == 100
    world.run(2)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert bodies(lyon.receive("Stock", "Entrepôt")) == BODIES
    assert lyon.receive("Stock", "Entrepôt") == ()


def test_102_the_first_acknowledgement_tells_the_initiator_the_far_broker_id():
    """PARIS ──▶ LYON."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "bonjour")
    assert paris.view("Ventes").conversation_endpoints[0].far_broker_instance is None
    world.run(2)
    endpoint = paris.view("Ventes").conversation_endpoints[0]
    assert endpoint.far_broker_instance == lyon.instance.catalog.databases["Stock"].broker_instance
    assert paris.told(RemoteMessageAcknowledged)[0].up_to == 0


def test_103_a_forwarder_passes_messages_on_and_answers_back_without_acknowledging_itself():
    """PARIS ──▶ HUB ──▶ BERLIN, and home the same way."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    hub = world.instance("HUB", [*_msdb(route("Prüfung", "berlin"), route("Client", "paris"))], forwards=True)
    berlin = world.instance("BERLIN", world.database("Werk", ["Prüfung"], route("Client", "hub")))
    dialog = paris.begin("Ventes", "Client", "Prüfung")
    for body in BODIES:
        paris.say("Ventes", dialog, body)
    world.run(3)
    assert bodies(berlin.receive("Werk", "Prüfung")) == BODIES
    assert paris.view("Ventes").transmission_queue_total == 0
    hops = {event.hops_remaining for event in hub.told(ForwardedMessageSent)}
    assert hops == {15}
    assert hub.instance.view(10).forwarding_messages == 0


def _msdb(*routes):
    from engine.core.catalog.changes import RouteCreated

    return [RouteCreated(database="msdb", route=each) for each in routes]


def test_104_services_of_one_instance_need_neither_network_nor_transmission_queue():
    """PARIS: Client ──▶ Facture, through AutoCreatedLocal."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]), world.database("Compta", ["Facture"]))
    dialog = paris.begin("Ventes", "Client", "Facture")
    paris.say("Ventes", dialog, "payez")
    assert paris.view("Ventes").transmission_queue_total == 0
    assert bodies(paris.receive("Compta", "Facture")) == [b"payez"]
    assert world.transmissions == 0
    endpoint = paris.view("Ventes").conversation_endpoints[0]
    assert endpoint.far_broker_instance == paris.instance.catalog.databases["Compta"].broker_instance


def test_105_a_reply_finds_its_way_although_msdb_holds_no_route_at_all():
    """PARIS ◀──▶ LYON; msdb of PARIS is empty: the reply-from-target rule delivers (routing.md 3)."""
    from engine.core.catalog.changes import RouteDropped

    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    paris.define(RouteDropped(database="msdb", name="AutoCreatedLocal"))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "question")
    world.run(2)
    [question] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", question.conversation_handle, "réponse")
    world.run(2)
    assert bodies(paris.receive("Ventes", "Client")) == ["réponse".encode()]


def test_106_an_acknowledgement_rides_on_a_reply_when_one_leaves_in_time():
    """PARIS ◀──▶ LYON: the answer comes within the delay, so no dedicated acknowledgement is sent for it."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "question")
    world.run(0.2)
    [question] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", question.conversation_handle, "réponse")
    world.run(0.2)
    assert paris.view("Ventes").transmission_queue_total == 0
    world.run(5)
    assert world.transmissions == 3, "question, answer with acknowledgement, acknowledgement of the answer"


def test_107_the_live_view_hears_of_every_step_in_order():
    """PARIS ──▶ LYON."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "bonjour")
    world.run(2)
    [first, *_] = paris.told(MessageClassified)
    assert first.decision.classification is Classification.REMOTE
    assert first.decision.match_step == 2
    assert [event.state for event in paris.told(ConversationStateChanged)] == ["SO", "CO"]
    assert [event.message_sequence_number for event in lyon.told(MessageDelivered)] == [0]
    numbers = [number for number, _ in paris.store.events_after(0, 1000)]
    assert numbers == list(range(1, len(paris.events) + 1))


@pytest.mark.parametrize("seed", range(5))
def test_108_what_the_network_repeats_is_delivered_once_and_told_as_duplicate(seed):
    """PARIS ══▶ LYON, every message twice."""
    world = World(seed, duplication=1.0)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for body in BODIES:
        paris.say("Ventes", dialog, body)
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == BODIES
    assert {event.number for event in lyon.told(MessageUndeliverable)} <= {11218, 11213}
    assert 11218 in {event.number for event in lyon.told(MessageUndeliverable)}
