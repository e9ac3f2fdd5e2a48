"""Scenarios 4XX: orders of events that once went wrong, each kept as the sentence that should have held."""

import pytest

from engine.core.catalog.changes import (
    BrokerSwitched,
    DatabaseDropped,
    EndpointAltered,
    QueueCreated,
    RouteCreated,
    ServiceAltered,
)
from engine.core.catalog.objects import EndpointState, Queue
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.commands import Receive
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from engine.core.vocabulary.rows import put_together
from tests.support.world import World, route

LYON = TcpAddress("lyon", 4022)
STOP = EndpointAltered(name="Broker", state=EndpointState.STOPPED)
START = EndpointAltered(name="Broker", state=EndpointState.STARTED)


def network(host):
    return NetworkAddress(f"TCP://{host}:4022", TcpAddress(host, 4022))


@pytest.fixture
def pair():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt", "Autre"], route("Client", "paris")))
    return world, paris, lyon


def test_401_an_acknowledgement_that_cannot_leave_does_not_keep_the_timer_busy(pair):
    """PARIS answers LYON over a mirrored route while a plain route keeps the link to LYON up."""
    world, paris, lyon = pair
    far_id = lyon.instance.catalog.databases["Stock"].broker_instance
    mirrored = Route(
        name="gespiegelt",
        service_name="Autre",
        broker_instance=far_id,
        address=network("lyon"),
        mirror_address=network("nantes"),
    )
    paris.define(RouteCreated(database="Ventes", route=mirrored))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "bringt die Verbindung hoch")
    world.run(2)
    lyon.say("Stock", lyon.begin("Stock", "Autre", "Client"), "x")
    world.run(30)
    assert [row.message_body for row in paris.receive("Ventes", "Client")] == [b"x"]


def test_402_numbers_held_behind_an_error_are_not_acknowledged_as_a_gap_even_after_a_restart(pair):
    """PARIS ──╳2──▶ LYON: 3 and 4 are early, then END WITH ERROR, then LYON restarts."""
    world, paris, lyon = pair
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "0")
    world.run(2)
    send = paris.send
    paris.send = lambda outbound: None if outbound.message.message.sequence == 1 else send(outbound)
    for number in range(1, 4):
        paris.say("Ventes", dialog, str(number))
    world.run(0.3)
    assert lyon.view("Stock").queues[0].disabled == 2
    paris.end("Ventes", dialog, error_code=1, error_description="genug")
    world.run(1)
    assert lyon.view("Stock").queues[0].disabled == 0
    lyon.kill()
    lyon.start()
    paris.send = send
    world.run(120)
    assert paris.view("Ventes").conversation_endpoints == ()
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")][1:] == [b"0"]


def test_403_news_of_a_connection_that_was_given_up_is_not_believed(pair):
    """PARIS stops while its dial is under way; the late LOGGED_IN must not leave a link up that is not there."""
    world, paris, lyon = pair
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    paris.define(STOP)
    paris.feed(LinkChange(address=LYON, state=LinkState.LOGGED_IN, peer="LYON"))
    assert {view.state for view in paris.instance.view(1).connections} == {LinkState.CLOSED}
    paris.define(START)
    world.run(15)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"x"]


def test_404_a_stopped_endpoint_dials_nobody(pair):
    world, paris, lyon = pair
    lyon.kill()
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(1)
    paris.define(STOP)
    dialled = []
    paris.dial = dialled.append
    world.run(300)
    assert dialled == []


def test_405_a_service_that_gets_another_queue_takes_its_messages_along(pair):
    world, paris, lyon = pair
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(3):
        paris.say("Ventes", dialog, str(number))
    world.run(2)
    lyon.define(
        QueueCreated(database="Stock", queue=Queue("dbo.Neu")),
        ServiceAltered(database="Stock", name="Entrepôt", queue="dbo.Neu"),
    )
    paris.say("Ventes", dialog, "3")
    world.run(2)
    taken = lyon.do(Receive, database="Stock", queue="dbo.Neu", top=10).messages
    assert [row.message_body for row in taken] == [b"0", b"1", b"2", b"3"]
    assert lyon.receive("Stock", "Entrepôt") == ()
    stored = put_together(lyon.store.load().databases)
    assert not any(rows.queues for rows in stored)


def test_406_a_database_dropped_in_other_letters_leaves_an_instance_that_starts_again(pair):
    world, paris, lyon = pair
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(2)
    lyon.define(DatabaseDropped(database="STOCK"))
    lyon.kill()
    lyon.start()
    assert "Stock" not in lyon.instance.catalog.databases
    assert lyon.instance.view(10).name == "LYON"


def test_407_a_closed_target_of_the_same_instance_goes_after_half_an_hour():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Facture"]))
    dialog = paris.begin("Ventes", "Client", "Facture")
    paris.say("Ventes", dialog, "x")
    [message] = paris.receive("Ventes", "Facture")
    paris.end("Ventes", message.conversation_handle)
    paris.end("Ventes", dialog)
    assert [view.state.value for view in paris.view("Ventes").conversation_endpoints] == ["CD"]
    world.run(1900)
    assert paris.view("Ventes").conversation_endpoints == ()


def test_408_one_wrong_message_type_is_one_error_however_many_messages_are_under_way(pair):
    world, paris, _ = pair
    from engine.core.catalog.changes import ContractCreated, MessageTypeCreated
    from engine.core.catalog.objects import Contract, ContractUse, MessageType, SentBy
    from engine.core.exchange.commands import Send

    contract = Contract("C", (ContractUse("T", SentBy.ANY),))
    paris.define(
        MessageTypeCreated(database="Ventes", message_type=MessageType("T")),
        ContractCreated(database="Ventes", contract=contract),
    )
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="C")
    for _ in range(20):
        paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="T", body=b"x")
    world.run(30)
    assert len(paris.receive("Ventes", "Client")) == 1


def test_409_the_text_of_an_error_is_bounded_before_it_is_taken(pair):
    _, paris, _ = pair
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    reply = paris.end("Ventes", dialog, error_code=1, error_description="x" * 3001)
    assert isinstance(reply, Refusal)
    assert reply.number == 8152
    assert [view.state.value for view in paris.view("Ventes").conversation_endpoints] == ["CO"]


def test_410_an_error_before_anything_was_delivered_ends_the_dialog_for_good(pair):
    """Once with nothing sent yet, once with message 0 lost on the way."""
    world, paris, lyon = pair
    lyon.define(STOP)
    unsent = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", unsent, "x")
    world.run(3)
    paris.end("Ventes", unsent, error_code=1, error_description="doch nicht")
    assert paris.view("Ventes").conversation_endpoints == ()
    lyon.define(START)
    world.run(80)
    world.loss = 1.0
    lost = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", lost, "x")
    world.run(1)
    paris.end("Ventes", lost, error_code=1, error_description="doch nicht")
    world.loss = 0.0
    world.run(100)
    assert paris.view("Ventes").conversation_endpoints == ()
    # Nobody in LYON can tell a message 0 that is lost from one that is late: a target in CD is the replay guard
    # (protocol.md 8.5), of the second dialog only, since of the first one LYON never heard. It goes like any other.
    [guard] = lyon.view("Stock").conversation_endpoints
    assert guard.state.value == "CD"
    assert lyon.receive("Stock", "Entrepôt") == ()
    world.run(1800)
    assert lyon.view("Stock").conversation_endpoints == ()


def test_411_a_disabled_broker_takes_nothing_for_conversations_it_already_has(pair):
    world, paris, lyon = pair
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "0")
    world.run(2)
    lyon.define(BrokerSwitched(database="Stock", is_enabled=False))
    paris.say("Ventes", dialog, "1")
    world.run(10)
    assert lyon.view("Stock").queues[0].ready == 1
    lyon.define(BrokerSwitched(database="Stock", is_enabled=True))
    world.run(80)
    assert lyon.view("Stock").queues[0].ready == 2


def test_412_a_refusal_is_remembered_as_an_answer_is(pair):
    from engine.core.exchange.commands import BeginDialog

    world, paris, _ = pair
    command = BeginDialog(command_id=world.entropy.new_uuid(), database="Ventes", from_service="Später", to_service="X")
    refused = paris.feed(command)
    assert isinstance(refused, Refusal)
    from engine.core.catalog.changes import ServiceCreated
    from engine.core.catalog.objects import Service

    paris.define(ServiceCreated(database="Ventes", service=Service("Später", "dbo.Client")))
    assert paris.feed(command) == refused
