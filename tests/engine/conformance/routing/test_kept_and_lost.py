"""What is kept, what is lost, and where: every row of the table of routing.md 10, in a world of instances.

Kept is a row in the sender's transmission queue, lost an arriving copy that nobody acknowledges.
"""

import re

import pytest

from engine.core.catalog.changes import (
    ContractCreated,
    EndpointAltered,
    MessageTypeCreated,
    QueueAltered,
    RouteCreated,
    RouteDropped,
    ServiceDropped,
)
from engine.core.catalog.objects import Contract, ContractUse, EndpointState, MessageType, SentBy, Validation
from engine.core.exchange.commands import Send
from engine.core.exchange.events import ForwardedMessageDropped, MessageClassified, MessageUndeliverable
from engine.core.routing.decision import Classification
from tests.support.world import World, route

STOP = EndpointAltered(name="Broker", state=EndpointState.STOPPED)
START = EndpointAltered(name="Broker", state=EndpointState.STARTED)


def waiting(node, database="Ventes"):
    """Numbers of the messages that wait in the transmission queue of a database."""
    return [row.message_sequence_number for row in node.view(database).transmission_queue]


def refused(node):
    return {event.number for event in node.told(MessageUndeliverable)}


def discards(node):
    """What the trace of classification says of messages from the network."""
    return {
        (each.database, each.decision.classification, each.decision.status) for each in node.told(MessageClassified)
    }


def errors(node, database="Ventes", queue="Client"):
    """Codes of the errors in a queue."""
    bodies = [row.message_body.decode("utf-16") for row in node.receive(database, queue)]
    return [int(re.search(r"<Code>(-?\d+)</Code>", body)[1]) for body in bodies]


def send(node, service="Entrepôt", **fields):
    dialog = node.begin("Ventes", "Client", service, **fields)
    node.say("Ventes", dialog, "x")
    return dialog


def state_of(node, dialog, database="Ventes"):
    return next(
        view.state.value for view in node.view(database).conversation_endpoints if view.conversation_handle == dialog
    )


@pytest.fixture
def world():
    return World()


@pytest.fixture
def paris(world):
    return world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))


@pytest.fixture
def lyon(world):
    return world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))


# ── what starts inside is kept ──
def test_inside_nothing_matches_kept(world, paris):
    paris.define(RouteDropped(database="Ventes", name="AutoCreatedLocal"))
    send(paris, "Prüfung")
    world.run(600)
    assert (waiting(paris), paris.statuses("Ventes")) == ([0], {9750})


def test_e1_inside_only_local_and_the_service_is_not_here_kept(world, paris):
    send(paris, "Prüfung")
    world.run(600)
    assert (waiting(paris), paris.statuses("Ventes")) == ([0], {9796})


def test_inside_a_wait_ends_with_the_lifetime_of_the_conversation(world, paris):
    dialog = send(paris, "Prüfung", lifetime_seconds=120)
    world.run(130)
    assert errors(paris) == [-8489]
    assert state_of(paris, dialog) == "ER"


# ── what arrives and finds no place is discarded, and its sender keeps it ──
def test_e2_outside_only_local_and_the_service_is_not_here_kept_there_discarded_here(world, paris):
    lyon = world.instance("LYON", world.database("Stock", [], route("Client", "paris")))
    send(paris)
    world.run(30)
    assert waiting(paris) == [0]
    assert refused(lyon) == {11210}
    assert len(lyon.told(MessageUndeliverable)) >= 3, "the sender tries again"
    assert discards(lyon) == {(None, Classification.DROPPED, 9796)}
    view = lyon.view("Stock")
    assert (view.conversation_endpoints, view.transmission_queue_total) == ((), 0)


def test_e2_outside_nothing_matches_kept_there_discarded_here(world, paris, lyon):
    lyon.define(RouteDropped(database="msdb", name="AutoCreatedLocal"))
    send(paris)
    world.run(10)
    assert (waiting(paris), refused(lyon)) == ([0], {11210})
    lyon.define(RouteCreated(database="msdb", route=route("Entrepôt")))
    world.run(20)
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([], 1)


def test_outside_another_address_without_forwarding_kept_there_discarded_here(world, lyon):
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    hub = world.instance("HUB", [RouteCreated(database="msdb", route=route("Entrepôt", "lyon"))])
    send(paris)
    world.run(10)
    assert (waiting(paris), refused(hub), paris.statuses("Ventes")) == ([0], {9792}, {None})
    assert discards(hub) == {(None, Classification.DROPPED, 9792)}
    hub.define(EndpointAltered(name="Broker", is_message_forwarding_enabled=True))
    world.run(20)
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([], 1)


# ── forwarders ──
def forwarder(world, **fields):
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    passing = [
        RouteCreated(database="msdb", route=each) for each in (route("Entrepôt", "lyon"), route("Client", "paris"))
    ]
    return paris, world.instance("HUB", passing, forwards=True)


def test_a_forwarder_out_of_memory_discards_and_the_sender_keeps(world):
    paris, hub = forwarder(world)
    hub.define(EndpointAltered(name="Broker", message_forward_size_megabytes=1))
    for _ in range(3):
        paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), b"x" * 600_000)
    world.run(3)
    assert {event.number for event in hub.told(ForwardedMessageDropped)} == {11289}
    assert waiting(paris) == [0, 0, 0]
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))
    world.run(150)
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([], 3)


def test_a_message_without_hops_is_discarded_and_the_sender_keeps_it(world):
    paris, hub = forwarder(world)
    nabe = [RouteCreated(database="msdb", route=route("Entrepôt", "hub"))]
    hub.define(
        RouteDropped(database="msdb", name="to Entrepôt by lyon"),
        RouteCreated(database="msdb", route=route("Entrepôt", "nabe")),
    )
    far = world.instance("NABE", nabe, forwards=True)
    send(paris)
    world.run(3)
    assert [event.number for node in (hub, far) for event in node.told(ForwardedMessageDropped)] == [11285]
    assert waiting(paris) == [0]


def test_a_message_that_outlived_its_time_in_a_forwarder_is_discarded_and_the_sender_keeps_it(world):
    """LYON does not answer; a forwarder holds a message for a minute at most."""
    paris, hub = forwarder(world)
    send(paris)
    world.run(3)
    assert hub.instance.view(10).forwarding_messages == 1
    world.run(70)
    assert 11290 in {event.number for event in hub.told(ForwardedMessageDropped)}
    assert waiting(paris) == [0]


def test_a_forwarder_that_restarts_forgets_and_the_sender_repeats(world):
    paris, hub = forwarder(world)
    send(paris)
    world.run(3)
    hub.kill()
    hub.start()
    assert hub.instance.view(10).forwarding_messages == 0
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))
    world.run(80)
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([], 1)


def test_e38_a_forwarder_that_cannot_pass_on_says_nothing_to_the_sender(world):
    paris, hub = forwarder(world)
    hub.define(RouteDropped(database="msdb", name="to Entrepôt by lyon"))
    dialog = send(paris)
    world.run(10)
    assert refused(hub) == {11210}
    assert (waiting(paris), state_of(paris, dialog), errors(paris)) == ([0], "CO", [])


# ── what the target answers with an error ──
def test_e12_arriving_with_the_id_of_a_database_without_the_service_is_answered_with_8490(world, paris, lyon):
    lyon.define(*world.database("Leer", [], route("Client", "paris")))
    dialog = send(paris, to_broker_instance=lyon.instance.catalog.databases["Leer"].broker_instance)
    world.run(6)
    assert (errors(paris), state_of(paris, dialog)) == ([-8490], "ER")
    assert 8490 in refused(lyon)
    assert lyon.view("Leer").conversation_endpoints == ()


def test_arriving_with_a_contract_that_is_not_accepted_is_answered_with_8408(world, paris, lyon):
    types = MessageTypeCreated(database="Ventes", message_type=MessageType("T"))
    contract = ContractCreated(database="Ventes", contract=Contract("C", (ContractUse("T", SentBy.ANY),)))
    paris.define(types, contract)
    lyon.define(
        MessageTypeCreated(database="Stock", message_type=MessageType("T")),
        ContractCreated(database="Stock", contract=Contract("C", (ContractUse("T", SentBy.ANY),))),
    )
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="C")
    paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="T", body=b"x")
    world.run(6)
    assert (errors(paris), state_of(paris, dialog)) == ([-8408], "ER")
    assert lyon.view("Stock").conversation_endpoints == ()


def test_arriving_with_an_unknown_contract_is_answered_with_an_error(world, paris, lyon):
    contract = Contract("C", (ContractUse("T", SentBy.ANY),))
    paris.define(
        MessageTypeCreated(database="Ventes", message_type=MessageType("T")),
        ContractCreated(database="Ventes", contract=contract),
    )
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="C")
    paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="T", body=b"x")
    world.run(6)
    assert errors(paris)[0] in (-8408, -8425)
    assert state_of(paris, dialog) == "ER"


def test_arriving_with_a_body_its_type_forbids_is_answered_with_an_error(world, paris, lyon):
    for node, database in ((paris, "Ventes"), (lyon, "Stock")):
        strict = Validation.EMPTY if node is lyon else Validation.NONE
        node.define(
            MessageTypeCreated(database=database, message_type=MessageType("T", strict)),
            ContractCreated(database=database, contract=Contract("C", (ContractUse("T", SentBy.ANY),))),
        )
    from engine.core.catalog.changes import ServiceAltered

    lyon.define(ServiceAltered(database="Stock", name="Entrepôt", adds=("C",)))
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="C")
    paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="T", body=b"x")
    world.run(6)
    [code] = errors(paris)
    assert code < 0
    assert state_of(paris, dialog) == "ER"


# ── the destination's queue, and routes that go ──
def test_destination_queue_off_the_message_is_parked_in_the_destination_database(world, paris, lyon):
    lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=False))
    send(paris)
    world.run(10)
    assert (waiting(paris), refused(lyon)) == ([], set())
    assert lyon.view("Stock").queues[0].awaiting == 1
    lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=True))
    world.run(20)
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([], 1)


def test_a_route_dropped_while_messages_wait_loses_nothing(world, paris, lyon):
    lyon.define(STOP)
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for _ in range(3):
        paris.say("Ventes", dialog, "x")
    world.run(3)
    paris.define(
        RouteDropped(database="Ventes", name="to Entrepôt by lyon"),
        RouteDropped(database="Ventes", name="AutoCreatedLocal"),
    )
    world.run(12)
    assert (waiting(paris), paris.statuses("Ventes")) == ([0, 1, 2], {9750})
    lyon.define(START)
    paris.define(RouteCreated(database="Ventes", route=route("Entrepôt", "lyon")))
    world.run(80)
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([], 3)


# ── edge cases about endpoints ──
def test_e17_a_reply_to_an_endpoint_that_is_gone_reaches_its_database_which_answers_with_8462(world, paris, lyon):
    dialog = send(paris)
    world.run(2)
    [message] = lyon.receive("Stock", "Entrepôt")
    paris.end("Ventes", dialog, with_cleanup=True)
    lyon.say("Stock", message.conversation_handle, "réponse")
    world.run(6)
    assert refused(paris) == {11209}
    assert errors(lyon, "Stock", "Entrepôt") == [-8462]


def test_e37_the_far_end_of_a_dropped_service_is_told_with_8470_and_nothing_is_left_here(world, paris, lyon):
    send(paris)
    world.run(2)
    [message] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", message.conversation_handle, "réponse")
    world.run(2)
    assert len(paris.receive("Ventes", "Client")) == 1
    lyon.define(ServiceDropped(database="Stock", name="Entrepôt"))
    world.run(2)
    assert errors(paris) == [-8470]
    assert lyon.view("Stock").conversation_endpoints == ()


def test_e39_an_acknowledgement_that_finds_no_route_is_never_stored_but_shows_its_reason(world, paris, lyon):
    from engine.core.exchange.events import TransmissionStatusChanged

    lyon.define(
        RouteDropped(database="Stock", name="to Client by paris"),
        RouteDropped(database="Stock", name="AutoCreatedLocal"),
    )
    send(paris)
    world.run(2)
    assert lyon.view("Stock").transmission_queue_total == 0
    assert {event.number for event in lyon.told(TransmissionStatusChanged)} == {9750}
    assert (waiting(paris), lyon.view("Stock").queues[0].ready) == ([0], 1)
    lyon.define(RouteCreated(database="Stock", route=route("Client", "paris")))
    world.run(15)
    assert waiting(paris) == []


def test_e39_an_error_of_the_broker_that_finds_no_route_is_lost_and_made_again_by_the_next_retry(world, paris, lyon):
    lyon.define(*world.database("Leer", []), RouteDropped(database="Leer", name="AutoCreatedLocal"))
    send(paris, to_broker_instance=lyon.instance.catalog.databases["Leer"].broker_instance)
    world.run(6)
    assert (errors(paris), lyon.view("Leer").transmission_queue_total) == ([], 0)
    lyon.define(RouteCreated(database="Leer", route=route("Client", "paris")))
    world.run(60)
    assert errors(paris) == [-8490]


def test_e47_a_known_dialog_stays_in_its_database_though_another_has_the_service_too(world, paris, lyon):
    """The acknowledgement of message 0 is lost: its repetitions name no id and still find the endpoint."""
    lyon.define(*world.database("Lager", []), *_service("Lager", "Entrepôt"))
    lyon.send = lambda outbound: None
    send(paris)
    world.run(60)
    del lyon.send
    paris.say("Ventes", paris.view("Ventes").conversation_endpoints[0].conversation_handle, "y")
    world.run(80)
    endpoints = [len(lyon.view(name).conversation_endpoints) for name in ("Stock", "Lager")]
    assert sorted(endpoints) == [0, 1]
    assert refused(lyon) == {11218}


def _service(database, name):
    from engine.core.catalog.changes import QueueCreated, ServiceCreated
    from engine.core.catalog.objects import Queue, Service

    return [
        QueueCreated(database=database, queue=Queue(f"dbo.{name}")),
        ServiceCreated(database=database, service=Service(name, f"dbo.{name}", ("DEFAULT",))),
    ]
