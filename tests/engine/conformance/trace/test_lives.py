"""What a trace shows of whole conversations (views.md 4, 5): each happening once, on the side on which it happens."""

from collections import Counter
from uuid import uuid5

from engine.core.catalog.changes import EndpointAltered, RouteCreated, ServiceDropped
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import ForwardedMessageSent
from engine.core.trace.classes import TraceClass
from engine.core.trace.rows import trace_rows
from tests.support.world import Node, World, route


def pair(**fields) -> tuple[World, Node, Node]:
    world = World(**fields)
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, paris, lyon


def subclasses(node: Node, kind: TraceClass) -> list[str]:
    return [row.subclass_name for event in node.events for row in trace_rows(event) if row.event_class is kind]


def conversation(node: Node) -> list[str]:
    return subclasses(node, TraceClass.BROKER_CONVERSATION)


def test_a_dialog_from_begin_to_end_on_both_sides():
    world, paris, lyon = pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "1")
    paris.say("Ventes", dialog, "2")
    world.run(2)
    (target,) = (row.conversation_handle for row in lyon.view("Stock").conversation_endpoints)
    lyon.end("Stock", target)
    world.run(2)
    paris.end("Ventes", dialog)
    world.run(2000)
    assert conversation(paris) == [
        "BEGIN DIALOG",
        "SEND Message",
        "SEND Message",
        "Received END CONVERSATION",
        "END CONVERSATION",
        "Terminate Dialog",
    ]
    assert conversation(lyon) == [
        "Dialog Created",
        "Received Sequenced Message",
        "Received Sequenced Message",
        "END CONVERSATION",
        "Received END CONVERSATION Ack",
        "Terminate Dialog",
    ]


def test_a_group_is_created_with_its_first_conversation_and_dropped_with_its_last():
    _, paris, _ = pair()
    first = paris.begin("Ventes", "Client", "Entrepôt")
    group = paris.view("Ventes").conversation_endpoints[0].conversation_group_id
    second = paris.begin("Ventes", "Client", "Entrepôt", conversation_group_id=group)
    assert subclasses(paris, TraceClass.BROKER_CONVERSATION_GROUP) == ["Create"]
    paris.end("Ventes", first)
    assert subclasses(paris, TraceClass.BROKER_CONVERSATION_GROUP) == ["Create"]
    paris.end("Ventes", second)
    assert subclasses(paris, TraceClass.BROKER_CONVERSATION_GROUP) == ["Create", "Drop"]


def test_a_restart_creates_no_group_anew_and_still_knows_its_size():
    _, paris, _ = pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.events.clear()
    paris.kill()
    paris.start()
    assert subclasses(paris, TraceClass.BROKER_CONVERSATION_GROUP) == []
    paris.end("Ventes", dialog)
    assert subclasses(paris, TraceClass.BROKER_CONVERSATION_GROUP) == ["Drop"]


def test_an_error_of_an_application_is_told_as_such_on_both_sides():
    world, paris, lyon = pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "1")
    world.run(2)
    paris.end("Ventes", dialog, error_code=1, error_description="assez")
    world.run(2)
    assert conversation(paris)[2] == "END CONVERSATION WITH ERROR"
    assert conversation(lyon)[-1] == "Received END CONVERSATION WITH ERROR"


def test_an_error_of_the_far_broker_and_one_of_our_own_are_told_apart():
    world, paris, lyon = pair()
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "1")
    world.run(2)
    lyon.define(ServiceDropped(database="Stock", name="Entrepôt"))
    world.run(2)
    assert conversation(paris)[-1] == "Received Broker Error Message"
    assert conversation(lyon)[-1] == "Terminate Dialog"
    late = paris.begin("Ventes", "Client", "Entrepôt", lifetime_seconds=5)
    paris.say("Ventes", late, "2")
    world.run(10)
    assert "Broker Initiated Error" in conversation(paris)


def test_a_cleanup_is_told_once():
    _, paris, _ = pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "1")
    paris.end("Ventes", dialog, with_cleanup=True)
    assert conversation(paris) == ["BEGIN DIALOG", "SEND Message", "END CONVERSATION WITH CLEANUP"]


def test_within_an_instance_a_send_is_told_too_and_no_acknowledgement():
    _, paris, _ = pair()
    dialog = paris.begin("Ventes", "Client", "Caisse")
    paris.say("Ventes", dialog, "1")
    paris.say("Ventes", dialog, "2")
    assert Counter(conversation(paris)) == {
        "BEGIN DIALOG": 1,
        "Dialog Created": 1,
        "SEND Message": 2,
        "Received Sequenced Message": 2,
    }
    assert subclasses(paris, TraceClass.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT) == []


def test_an_acknowledgement_goes_alone_or_on_the_back_of_a_message():
    world, paris, lyon = pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "1")
    world.run(2)
    assert subclasses(lyon, TraceClass.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT) == ["Acknowledgement Sent"]
    assert subclasses(paris, TraceClass.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT) == ["Acknowledgement Received"]
    paris.say("Ventes", dialog, "2")
    world.run(0.2)
    (target,) = (row.conversation_handle for row in lyon.view("Stock").conversation_endpoints)
    lyon.say("Stock", target, "answer")
    world.run(0.2)
    assert subclasses(lyon, TraceClass.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT)[1:] == [
        "Message with Acknowledgement Sent"
    ]
    assert subclasses(paris, TraceClass.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT)[1:] == [
        "Message with Acknowledgement Received"
    ]


def test_a_login_and_a_connection_that_is_refused():
    world, paris, lyon = pair()
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "1")
    world.run(2)
    assert subclasses(paris, TraceClass.AUDIT_BROKER_LOGIN) == ["Login Success", "Login Success"]
    assert subclasses(lyon, TraceClass.AUDIT_BROKER_LOGIN) == ["Login Success", "Login Success"]
    lyon.define(EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "2")
    world.run(30)
    assert subclasses(paris, TraceClass.BROKER_CONNECTION)[:2] == ["Receive IO Error", "Connect Failed"]


def test_a_forwarder_tells_of_each_message_that_it_passes_on():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    hub = world.instance("HUB", [RouteCreated(database="msdb", route=route("Prüfung", "berlin"))], forwards=True)
    world.instance("BERLIN", world.database("Lager", ["Prüfung"], route("Client", "paris")))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Prüfung"), "1")
    world.run(2)
    (row,) = [
        row
        for event in hub.events
        for row in trace_rows(event)
        if row.event_class is TraceClass.BROKER_FORWARDED_MESSAGE_SENT
    ]
    assert (row.columns["FileName"], row.columns["TargetUserName"]) == ("Prüfung", "Client")
    assert row.columns["TargetLoginName"] == "TCP://berlin:4022"
    (told,) = hub.told(ForwardedMessageSent)
    assert row.columns["ObjectName"] == str(uuid5(told.conversation_id, "initiator user 0"))
    assert row.columns["DBUserName"] == str(paris.view("Ventes").broker_instance).upper()
    assert conversation(hub) == []
