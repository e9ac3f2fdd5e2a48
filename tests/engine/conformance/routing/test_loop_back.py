"""Dialogs that leave their instance by an address of its own and come back over the network (routing.md 9)."""

import pytest

from engine.core.catalog.changes import EndpointAltered, RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.permissions import Securable
from engine.core.catalog.route import LocalAddress
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.exchange.events import MessageClassified, MessageQueuedForTransmission, MessageSentDirectly
from engine.core.vocabulary.dialog_security import SecurityKind
from tests.support.certificates import initiator, target
from tests.support.secure_world import SecureWorld, security_of
from tests.support.world import World, route

OUT, BACK = "to Facture by localhost", "to Client by paris"


def loop_back(world=None, *routes, back=None):
    """PARIS: Ventes (Client) ──▶ TCP://localhost ──▶ Compta (Facture), which answers by `back`."""
    world = world or World()
    home = world.database("Ventes", ["Client"], route("Facture", "localhost"))
    far = world.database("Compta", ["Facture"], back or route("Client", "paris"))
    return world, world.instance("PARIS", home, far, [RouteCreated(database="msdb", route=each) for each in routes])


def bodies(node, database, queue):
    return [row.message_body.decode() for row in node.receive(database, queue)]


def is_settled(node):
    return node.view("Ventes").transmission_queue_total == node.view("Compta").transmission_queue_total == 0


def hosts(node):
    return {outbound.address.host for outbound in node.sent}


def test_a_message_waits_in_the_transmission_queue_until_its_acknowledgement_has_come_round():
    world, node = loop_back()
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "payez")
    assert node.view("Ventes").transmission_queue_total == 1
    assert node.receive("Compta", "Facture") == ()
    assert (len(node.told(MessageQueuedForTransmission)), node.told(MessageSentDirectly)) == (1, [])
    world.run(2)
    assert is_settled(node)
    assert bodies(node, "Compta", "Facture") == ["payez"]


def test_answers_come_back_by_the_address_of_their_own_route():
    world, node = loop_back()
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "payez")
    world.run(2)
    [question] = node.receive("Compta", "Facture")
    node.say("Compta", question.conversation_handle, "payé")
    node.end("Compta", question.conversation_handle)
    world.run(2)
    assert [row.message_body for row in node.receive("Ventes", "Client")] == ["payé".encode(), None]
    assert is_settled(node)
    assert hosts(node) == {"localhost", "paris"}


def test_both_ends_may_be_in_one_database():
    world = World()
    home = world.database("Ventes", ["Client", "Facture"], route("Facture", "paris"), route("Client", "paris"))
    node = world.instance("PARIS", home)
    dialog = node.begin("Ventes", "Client", "Facture")
    node.say("Ventes", dialog, "0")
    node.end("Ventes", dialog)
    world.run(2)
    rows = node.receive("Ventes", "Facture")
    assert [row.message_body for row in rows] == [b"0", None]
    node.end("Ventes", rows[0].conversation_handle)
    world.run(2)
    assert node.view("Ventes").transmission_queue_total == 0


# ── mixed ways ──
def test_a_target_whose_way_back_is_local_acknowledges_what_came_over_the_network():
    world, node = loop_back(back=route("Client"))
    dialog = node.begin("Ventes", "Client", "Facture")
    node.say("Ventes", dialog, "0")
    world.run(1)
    assert is_settled(node)
    node.say("Ventes", dialog, "1")
    world.run(9)
    assert is_settled(node)
    assert world.transmissions == 2, "nothing was repeated for want of an acknowledgement"
    [first, second] = node.receive("Compta", "Facture")
    assert (first.message_body, second.message_body) == (b"0", b"1")
    node.say("Compta", first.conversation_handle, "payé")
    assert bodies(node, "Ventes", "Client") == ["payé"]


def test_a_target_that_was_reached_directly_may_answer_over_the_network():
    world, node = loop_back()
    node.define(RouteAltered(database="Ventes", name=OUT, address=LocalAddress()))
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "payez")
    [question] = node.receive("Compta", "Facture")
    assert node.sent == []
    node.say("Compta", question.conversation_handle, "payé")
    world.run(2)
    assert bodies(node, "Ventes", "Client") == ["payé"]
    assert is_settled(node)


def test_the_end_of_a_dialog_with_mixed_ways_leaves_nothing_behind():
    world, node = loop_back(back=route("Client"))
    dialog = node.begin("Ventes", "Client", "Facture")
    node.say("Ventes", dialog, "0")
    world.run(1)
    [question] = node.receive("Compta", "Facture")
    node.end("Compta", question.conversation_handle)
    node.receive("Ventes", "Client")
    node.end("Ventes", dialog)
    world.run(2)
    assert is_settled(node)
    assert node.view("Ventes").conversation_endpoints == ()


def test_a_route_that_becomes_local_takes_along_what_waits():
    world, node = loop_back()
    world.cut(node, "localhost")
    dialog = node.begin("Ventes", "Client", "Facture")
    node.say("Ventes", dialog, "0")
    world.run(1)
    assert node.statuses("Ventes") == {9754}
    node.define(RouteAltered(database="Ventes", name=OUT, address=LocalAddress()))
    world.run(15)
    assert bodies(node, "Compta", "Facture") == ["0"]
    assert is_settled(node)


# ── what stands in the way ──
def test_what_msdb_does_not_let_in_waits_and_goes_when_it_does():
    world, node = loop_back()
    node.define(RouteDropped(database="msdb", name="AutoCreatedLocal"))
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "x")
    assert node.statuses("Ventes") == {9793}
    node.define(RouteCreated(database="msdb", route=route("Facture")))
    world.run(15)
    assert bodies(node, "Compta", "Facture") == ["x"]
    assert is_settled(node)


def test_a_database_without_the_service_ends_the_dialog_with_8490():
    """E12 from outside, which a loop-back counts as: the target database answers with an error."""
    world, node = loop_back()
    node.define(RouteCreated(database="Ventes", route=route("Client", "localhost")))
    broker = node.instance.catalog.databases["Ventes"].broker_instance
    node.say("Ventes", node.begin("Ventes", "Client", "Facture", to_broker_instance=broker), "x")
    world.run(5)
    [error] = node.receive("Ventes", "Client")
    assert "<Code>-8490</Code>" in error.message_body.decode("utf-16")


def test_a_stopped_endpoint_keeps_what_would_go_round_and_a_started_one_sends_it_once():
    world, node = loop_back()
    dialog = node.begin("Ventes", "Client", "Facture")
    node.say("Ventes", dialog, "0")
    world.run(2)
    node.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    node.say("Ventes", dialog, "1")
    world.run(15)
    assert node.statuses("Ventes") == {9666}
    node.define(EndpointAltered(name="Broker", state=EndpointState.STARTED))
    world.run(90)
    assert bodies(node, "Compta", "Facture") == ["0", "1"]
    assert is_settled(node)


def test_what_was_not_acknowledged_survives_the_death_of_the_instance():
    world, node = loop_back()
    dialog = node.begin("Ventes", "Client", "Facture")
    for number in range(3):
        node.say("Ventes", dialog, str(number))
    node.kill()
    node.start()
    world.run(90)
    assert bodies(node, "Compta", "Facture") == ["0", "1", "2"]
    assert is_settled(node)


@pytest.mark.parametrize("seed", range(5))
def test_a_bad_network_delivers_once_and_in_order(seed):
    world, node = loop_back(World(seed, loss=0.2, duplication=0.2, reorders=True))
    dialog = node.begin("Ventes", "Client", "Facture")
    long = "x" * 200_000
    sent = [*map(str, range(20)), long, "end"]
    for body in sent:
        node.say("Ventes", dialog, body)
    world.run(400)
    assert bodies(node, "Compta", "Facture") == sent
    assert is_settled(node)


# ── security ──
def secured(*definitions):
    """PARIS has both services, and each side the certificates that it would have in an instance of its own."""
    world = SecureWorld()
    stock = world.database("Stock", ["Entrepôt"], route("Client", "localhost"))
    return world, world.paris(stock, *definitions, target(), to="localhost")


def test_9_1_a_loop_back_is_secured_like_any_dialog_over_the_network():
    world, node = secured(initiator())
    dialog = node.begin("Ventes", "Client", "Entrepôt", encryption=True)
    node.say("Ventes", dialog, "secret")
    world.run(2)
    [question] = node.receive("Stock", "Entrepôt")
    assert question.message_body == b"secret"
    node.say("Stock", question.conversation_handle, "réponse")
    world.run(2)
    assert bodies(node, "Ventes", "Client") == ["réponse"]
    assert security_of(node, "Ventes", dialog).kind is SecurityKind.FULL
    assert all(message.security for message in world.wire)
    assert node.told(MessageClassified)[0].decision.security is not None


def test_9_1_encryption_without_a_binding_waits_as_it_would_for_another_instance():
    world, node = secured()
    node.say("Ventes", node.begin("Ventes", "Client", "Entrepôt", encryption=True), "secret")
    world.run(2)
    assert node.statuses("Ventes") == {9727}
    assert world.wire == []


def by_its_own_address(world, node):
    """From now on messages to Entrepôt leave the instance and come back."""
    node.define(RouteDropped(database="Ventes", name="to Entrepôt by localhost"))
    node.define(RouteCreated(database="Ventes", route=route("Entrepôt", "localhost")))
    world.run(15)


def talk(world, node, dialog, database):
    """One more message there, and an answer."""
    node.say("Ventes", dialog, "1")
    world.run(2)
    rows = node.receive(database, "Entrepôt")
    assert [row.message_body for row in rows] == [b"0", b"1"]
    node.say(database, rows[0].conversation_handle, "réponse")
    world.run(2)
    assert bodies(node, "Ventes", "Client") == ["réponse"]
    assert world.wire


def test_9_1_a_dialog_that_began_directly_between_two_databases_travels_under_the_key_that_both_have():
    world, node = secured(initiator())
    node.define(RouteAltered(database="Ventes", name="to Entrepôt by localhost", address=LocalAddress()))
    dialog = node.begin("Ventes", "Client", "Entrepôt", encryption=True)
    node.say("Ventes", dialog, "0")
    by_its_own_address(world, node)
    talk(world, node, dialog, "Stock")
    assert all(message.security for message in world.wire if message.from_initiator)


def test_9_1_a_dialog_that_began_directly_within_one_database_goes_on_in_clear_within_its_instance():
    """Its target has never seen a key; what the instance says to itself is not encrypted either way."""
    world = SecureWorld()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Entrepôt"]), initiator())
    node.define(RouteCreated(database="Ventes", route=route("Entrepôt")))
    dialog = node.begin("Ventes", "Client", "Entrepôt", encryption=True)
    node.say("Ventes", dialog, "0")
    node.define(RouteDropped(database="Ventes", name="to Entrepôt by None"))
    node.define(RouteCreated(database="Ventes", route=route("Entrepôt", "localhost")))
    world.run(15)
    node.say("Ventes", dialog, "1")
    world.run(2)
    assert [row.message_body for row in node.receive("Ventes", "Entrepôt")] == [b"0", b"1"]
    decisions = [event.decision for event in node.told(MessageClassified)]
    assert "TCP://localhost:4022" in [str(decision.address) for decision in decisions]
    assert {decision.security for decision in decisions} == {None}
    assert security_of(node, "Ventes", dialog) is None


def test_9_1_a_key_that_never_left_gives_way_to_that_which_both_ends_have_when_the_dialog_begins_directly():
    world, node = secured(initiator())
    world.cut(node, "localhost")
    dialog = node.begin("Ventes", "Client", "Entrepôt", encryption=True)
    node.say("Ventes", dialog, "0")
    before = security_of(node, "Ventes", dialog)
    assert before.kind is SecurityKind.FULL
    node.define(RouteAltered(database="Ventes", name="to Entrepôt by localhost", address=LocalAddress()))
    world.run(15)
    after = security_of(node, "Ventes", dialog)
    assert (after.kind, after.header) == (SecurityKind.ANONYMOUS, None)
    assert after.outbound.identifier != before.outbound.identifier
    [question] = node.receive("Stock", "Entrepôt")
    world.mend(node, "localhost")
    node.say("Stock", question.conversation_handle, "réponse")
    world.run(90)
    assert bodies(node, "Ventes", "Client") == ["réponse"]


def test_9_1_a_dialog_that_began_over_the_network_keeps_its_key_on_the_way_back_and_for_later():
    world, node = secured(initiator())
    dialog = node.begin("Ventes", "Client", "Entrepôt", encryption=True)
    node.say("Ventes", dialog, "0")
    world.run(2)
    node.define(RouteAltered(database="Ventes", name="to Entrepôt by localhost", address=LocalAddress()))
    world.run(15)
    node.say("Ventes", dialog, "1")
    [first, second] = node.receive("Stock", "Entrepôt")
    assert second.message_body == b"1"
    node.say("Stock", first.conversation_handle, "réponse")
    world.run(2)
    assert bodies(node, "Ventes", "Client") == ["réponse"]
    assert all(message.security for message in world.wire)


def test_9_2_the_header_rides_on_the_first_answer_that_travels_where_those_before_it_went_directly():
    world, node = secured(initiator())
    dialog = node.begin("Ventes", "Client", "Entrepôt", encryption=True)
    node.say("Ventes", dialog, "question")
    world.run(2)
    [question] = node.receive("Stock", "Entrepôt")
    node.define(RouteAltered(database="Stock", name="to Client by localhost", address=LocalAddress()))
    node.say("Stock", question.conversation_handle, "0")
    assert bodies(node, "Ventes", "Client") == ["0"]
    node.define(RouteDropped(database="Stock", name="to Client by localhost"))
    node.define(RouteCreated(database="Stock", route=route("Client", "localhost")))
    world.run(15)
    world.wire.clear()
    for answer in ("1", "2"):
        node.say("Stock", question.conversation_handle, answer)
    world.run(2)
    assert bodies(node, "Ventes", "Client") == ["1", "2"]
    answers = [message for message in world.wire if message.is_sequenced]
    assert [bool(message.security.header) for message in answers] == [True, False]
    node.say("Stock", question.conversation_handle, "3")
    world.run(2)
    assert bodies(node, "Ventes", "Client") == ["3"]
    assert world.wire[-1].security.header is None


def test_who_comes_over_the_network_unsecured_is_public_to_the_service():
    """The sender's user counts for direct delivery only; what the network brings proves nobody."""
    world, node = loop_back()
    revoked = PermissionSet(
        database="Compta", securable=Securable.SERVICE, name="Facture", verb=PermissionVerb.REVOKE, grantee="public"
    )
    node.define(revoked)
    node.say("Ventes", node.begin("Ventes", "Client", "Facture"), "x")
    world.run(10)
    [error] = node.receive("Ventes", "Client")
    assert "<Code>-8494</Code>" in error.message_body.decode("utf-16")
