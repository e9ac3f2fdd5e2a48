"""protocol.md 3.3 (D): fragmentation, interleaving, reassembly with status 2, and what survives a crash."""

import pytest

from engine.core.catalog.changes import (
    ContractCreated,
    EndpointAltered,
    MessageTypeCreated,
    QueueCreated,
    RouteCreated,
    ServiceAltered,
)
from engine.core.catalog.objects import Contract, ContractUse, MessageType, Queue, SentBy, Validation
from engine.core.exchange.commands import Send
from engine.core.exchange.events import ForwardedMessageDropped, MessageUndeliverable
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.limits import MESSAGE_BODY_BYTES_MAX, SEND_WINDOW_BYTES
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.settings import DialogSettings, EngineSettings
from tests.support.dialogs import FRAGMENT, bodies, large, make_pair, states, statuses
from tests.support.world import World, route


def fragment_of(message):
    return message.fragment.number if message.fragment is not None else None


def carried(world):
    """Every fragment number that is put onto the network from now on."""
    numbers = []

    def listen(message):
        if message.fragment is not None:
            numbers.append(message.fragment.number)
        return False

    world.loses = listen
    return numbers


def test_a_fragment_has_64_kib_unless_set_otherwise():
    assert DialogSettings().fragment_bytes == 64 * 1024
    with pytest.raises(ValueError, match="fragment"):
        DialogSettings(fragment_bytes=100)


@pytest.mark.parametrize(
    ("length", "pieces"), [(FRAGMENT, []), (FRAGMENT + 1, [0, 1]), (3 * FRAGMENT, [0, 1, 2]), (FRAGMENT - 1, [])]
)
def test_a_small_message_is_one_fragment_a_large_one_is_many(length, pieces):
    world, paris, lyon = make_pair()
    seen = carried(world)
    body = bytes(range(256)) * (length // 256) + b"z" * (length % 256)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), body)
    world.run(2)
    assert seen == pieces
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [body]


def test_a_partial_message_waits_in_the_destination_queue_with_status_2_invisible_to_receive():
    world, paris, lyon = make_pair()
    world.loses = lambda message: fragment_of(message) == 3
    body = large(6)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), body)
    world.run(2)
    assert sorted(statuses(lyon, "Stock", "Entrepôt")) == [(2, 0), (2, 1), (2, 2), (2, 4), (2, 5)]
    assert lyon.receive("Stock", "Entrepôt") == ()
    assert states(lyon, "Stock") == ["SI"], "row 5"
    assert paris.view("Ventes").transmission_queue_total == 1
    world.loses = lambda message: False
    world.run(20)
    assert statuses(lyon, "Stock", "Entrepôt") == [(1, None)]
    assert states(lyon, "Stock") == ["CO"], "row 6"
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [body]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_only_the_fragments_that_were_lost_are_sent_again():
    world, paris, lyon = make_pair()
    numbers, lost = [], {2, 7, 11}

    def loses(message):
        if message.fragment is None:
            return False
        numbers.append(message.fragment.number)
        return message.fragment.number in lost and numbers.count(message.fragment.number) == 1

    world.loses = loses
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(20))
    world.run(60)
    assert lyon.view("Stock").queues[0].ready == 1
    assert {number: numbers.count(number) for number in range(20)} == {
        number: 2 if number in lost else 1 for number in range(20)
    }


def test_small_messages_of_other_dialogs_pass_a_large_one():
    world, paris, lyon = make_pair()
    slow, quick = (paris.begin("Ventes", "Client", "Entrepôt") for _ in range(2))
    paris.say("Ventes", slow, large(8000))
    paris.say("Ventes", quick, "petit")
    world.run(1)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"petit"]
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(8000)]


def test_dialogs_take_turns_when_a_link_comes_up():
    world, paris, _ = make_pair()
    order = []
    world.loses = lambda message: order.append((message.conversation_id, fragment_of(message))) or False
    dialogs = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(3)]
    paris.say("Ventes", dialogs[0], large(4))
    paris.say("Ventes", dialogs[1], large(3))
    paris.say("Ventes", dialogs[2], "petit")
    world.run(0.015)
    first, second, third = dict.fromkeys(conversation for conversation, _ in order)
    assert order == [
        *((first, 0), (second, 0), (third, None)),
        *((first, 1), (second, 1)),
        *((first, 2), (second, 2)),
        (first, 3),
    ]


def test_no_more_than_a_window_of_a_large_message_is_on_its_way():
    world, paris, _ = make_pair()
    world.loses = lambda message: message.acknowledgement is not None
    seen = carried(world)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(4000))
    world.run(0.1)
    assert 0 < len(seen) <= SEND_WINDOW_BYTES // FRAGMENT


def test_a_forwarder_never_reassembles_so_a_message_larger_than_its_memory_passes():
    world = World()
    world.settings = EngineSettings(dialog=DialogSettings())
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    passing = [
        RouteCreated(database="msdb", route=each) for each in (route("Entrepôt", "lyon"), route("Client", "paris"))
    ]
    hub = world.instance("HUB", passing, forwards=True)
    hub.define(EndpointAltered(name="Broker", message_forward_size_megabytes=1))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))
    body = bytes(5 * 1024 * 1024)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), body)
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [body]
    assert {event.number for event in hub.told(ForwardedMessageDropped)} <= {11289}


@pytest.mark.parametrize("victim", ["PARIS", "LYON"])
def test_a_crash_in_the_middle_of_reassembly_loses_and_doubles_nothing(victim):
    world, paris, lyon = make_pair()
    world.loses = lambda message: fragment_of(message) == 5
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(12))
    world.run(2)
    partial = statuses(lyon, "Stock", "Entrepôt")
    assert len(partial) == 11
    node = {"PARIS": paris, "LYON": lyon}[victim]
    node.kill()
    world.loses = lambda message: False
    node.start()
    assert statuses(lyon, "Stock", "Entrepôt") == partial, "fragments are as durable as messages"
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(12)]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_after_a_crash_of_the_target_only_what_is_missing_is_sent():
    world, paris, lyon = make_pair()
    world.loses = lambda message: fragment_of(message) == 5
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(12))
    world.run(2)
    lyon.store.load()
    lyon.start()
    seen = carried(world)
    world.run(60)
    assert seen == [5], "the link stayed up, as it does through a forwarder"
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(12)]


def test_a_fragmented_message_that_comes_before_its_turn_waits_for_it():
    world, paris, lyon = make_pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "0")
    world.run(2)
    world.loses = lambda message: message.sequence == 1
    for body in ("1", large(3), "3", large(2, b"y")):
        paris.say("Ventes", dialog, body)
    world.run(2)
    assert [status for status, _ in statuses(lyon, "Stock", "Entrepôt")] == [1, 2, 2, 2, 2, 2, 2]
    world.loses = lambda message: False
    world.run(20)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"0", b"1", large(3), b"3", large(2, b"y")]


def test_memory_for_reassembly_is_bounded_and_nobody_waits_for_ever():
    bound = 20 * FRAGMENT
    world, paris, lyon = make_pair(reassembly_bytes_max=bound)
    sent = [large(15, b"%d" % number) for number in range(6)]
    for body in sent:
        paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), body)
    most = 0
    for _ in range(1000):
        world.run(0.05)
        held = sum(status == 2 for status, _ in statuses(lyon, "Stock", "Entrepôt")) * FRAGMENT
        most = max(most, held)
    assert most <= bound + 15 * FRAGMENT
    assert {701} <= {event.number for event in lyon.told(MessageUndeliverable)} <= {701, 11218}
    got = []
    while rows := lyon.receive("Stock", "Entrepôt"):
        got += bodies(rows)
    assert sorted(got) == sent
    assert paris.view("Ventes").transmission_queue_total == 0


def test_what_an_abandoned_message_reserved_is_free_again_after_a_clean_up():
    world, paris, lyon = make_pair(reassembly_bytes_max=2 * FRAGMENT)
    world.loses = lambda message: fragment_of(message) == 2
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(5))
    world.run(2)
    world.loses = lambda message: message.fragment is not None and message.fragment.message_bytes == 5 * FRAGMENT
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(4))
    world.run(30)
    assert lyon.view("Stock").queues[0].ready == 0
    abandoned = next(each for each in lyon.view("Stock").conversation_endpoints if each.state == "SI")
    lyon.end("Stock", abandoned.conversation_handle, with_cleanup=True)
    assert statuses(lyon, "Stock", "Entrepôt") == []
    world.run(120)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(4)]


def test_a_body_beyond_the_limit_is_refused_with_8459_and_changes_nothing():
    assert DialogSettings().message_bytes_max == MESSAGE_BODY_BYTES_MAX == 2**31 - 1
    world, paris, lyon = make_pair(message_bytes_max=5000)
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    before = paris.view("Ventes")
    reply = paris.do(Send, database="Ventes", conversation_handle=dialog, body=bytes(5001))
    assert isinstance(reply, Refusal)
    assert (reply.number, reply.text) == (8459, "The message body is larger than 5000 bytes")
    assert paris.view("Ventes") == before
    paris.say("Ventes", dialog, bytes(5000))
    world.run(2)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [bytes(5000)]


def test_a_target_that_keeps_no_such_large_message_says_so_instead_of_never_acknowledging():
    world, paris, _ = make_pair()
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=FRAGMENT, message_bytes_max=5000))
    reims = world.instance("REIMS", world.database("Stock", ["Cave"], route("Client", "paris")))
    paris.define(RouteCreated(database="Ventes", route=route("Cave", "reims")))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Cave"), large(6))
    world.run(3)
    [error] = paris.receive("Ventes", "Client")
    assert "<Code>-8459</Code>" in error.message_body.decode("utf-16")
    assert states(reims, "Stock") == []


def xml_services():
    """A contract whose only type is well-formed XML, on both sides."""
    world = World()
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=FRAGMENT))
    xml = MessageType("Ordre", Validation.WELL_FORMED_XML)
    contract = Contract("Livraison", (ContractUse("Ordre", SentBy.ANY),))
    nodes = []
    for name, database, service, peer, there in (
        ("PARIS", "Ventes", "Client", "Entrepôt", "lyon"),
        ("LYON", "Stock", "Entrepôt", "Client", "paris"),
    ):
        node = world.instance(name, world.database(database, [service], route(peer, there)))
        node.define(
            MessageTypeCreated(database=database, message_type=xml),
            ContractCreated(database=database, contract=contract),
            ServiceAltered(database=database, name=service, adds=("Livraison",)),
        )
        nodes.append(node)
    return world, *nodes


def send_xml(paris, body):
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="Livraison")
    reply = paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="Ordre", body=body)
    assert not isinstance(reply, Refusal), reply


def test_13_a_large_body_is_validated_once_it_is_whole():
    world, paris, lyon = xml_services()
    body = b"<o>" + b"x" * 5 * FRAGMENT + b"</o>"
    send_xml(paris, body)
    world.run(2)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [body]


def test_13_a_large_body_that_is_not_valid_is_answered_with_minus_9616_again_and_again_until_it_is_heard():
    world, paris, lyon = xml_services()
    world.loses = lambda message: message.kind is MessageKind.ERROR
    send_xml(paris, b"<o>" + b"x" * 5 * FRAGMENT)
    world.run(10)
    assert {event.number for event in lyon.told(MessageUndeliverable)} == {9616}
    assert len(lyon.told(MessageUndeliverable)) == 2, "the last fragment came again"
    assert lyon.view("Stock").queues[0].ready == 0
    world.loses = lambda message: False
    world.run(20)
    [error] = paris.receive("Ventes", "Client")
    told = error.message_body.decode("utf-16")
    assert "<Code>-9616</Code>" in told
    assert "no element found, line 1, column 5124" in told, "where the whole body breaks off, not its last fragment"
    assert states(paris, "Ventes") == ["ER"]


def test_13_a_large_invalid_body_that_came_before_its_turn_is_answered_too():
    world, paris, lyon = xml_services()
    dialog = paris.begin("Ventes", "Client", "Entrepôt", contract="Livraison")
    world.loses = lambda message: message.sequence == 1
    for body in (b"<a/>", b"<b/>", b"<c>" + b"x" * 3 * FRAGMENT):
        paris.do(Send, database="Ventes", conversation_handle=dialog, message_type="Ordre", body=body)
    world.run(2)
    world.loses = lambda message: False
    world.run(20)
    assert states(paris, "Ventes") == ["ER"]
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"<a/>", b"<b/>"]


def test_a_service_that_gets_another_queue_takes_its_fragments_along():
    world, paris, lyon = make_pair()
    world.loses = lambda message: fragment_of(message) == 3
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(6))
    world.run(2)
    lyon.define(
        QueueCreated(database="Stock", queue=Queue("dbo.Neu")),
        ServiceAltered(database="Stock", name="Entrepôt", queue="dbo.Neu"),
    )
    assert statuses(lyon, "Stock", "Entrepôt") == []
    assert len(statuses(lyon, "Stock", "Neu")) == 5
    world.loses = lambda message: False
    world.run(20)
    assert bodies(lyon.receive("Stock", "Neu")) == [large(6)]


def test_within_one_instance_a_large_message_is_never_cut():
    world = World()
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=FRAGMENT))
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]), world.database("Compta", ["Facture"]))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Facture"), large(6))
    assert bodies(paris.receive("Compta", "Facture")) == [large(6)]
    assert world.transmissions == 0


def test_a_size_set_anew_does_not_cut_messages_that_wait_another_way():
    world, paris, lyon = make_pair()
    world.loses = lambda message: fragment_of(message) == 5
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(12))
    world.run(2)
    paris.kill()
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=4 * FRAGMENT))
    world.loses = lambda message: False
    paris.start()
    world.run(30)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(12)]
    assert {event.number for event in lyon.told(MessageUndeliverable)} <= {11218}
