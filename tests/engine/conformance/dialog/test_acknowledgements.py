"""protocol.md 3.4, 3.5, 3.6 (D, S, E): cumulative acknowledgements with a gap hint, retries, duplicates."""

from itertools import pairwise

import pytest

from engine.core.exchange.events import MessageUndeliverable, RemoteMessageAcknowledged
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import put_together
from tests.support.dialogs import bodies, large, make_pair
from tests.support.world import World, route


def listening(world, node):
    """What a node sends from now on, lost or not, with the time."""
    sent = []
    carry = node.send
    node.send = lambda outbound: (sent.append((world.seconds, outbound.message.message)), carry(outbound))
    return sent


def test_an_acknowledgement_leaves_after_the_commit_and_after_the_delay_when_nothing_carries_it():
    world, paris, lyon = make_pair()
    sent = listening(world, lyon)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "bonjour")
    world.run(0.3)
    assert put_together(lyon.store.load().databases)[-1].endpoints[0].receive_sequence == 1
    assert sent == []
    world.run(1)
    [(_, message)] = sent
    assert message.kind is MessageKind.ACKNOWLEDGEMENT
    assert (message.acknowledgement.up_to, message.acknowledgement.highest_seen) == (0, 0)


def test_one_acknowledgement_covers_many_messages_and_names_the_highest_in_order_and_seen():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.sequence == 3
    sent = listening(world, lyon)
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(10):
        paris.say("Ventes", dialog, str(number))
    world.run(1)
    hint = sent[0][1].acknowledgement
    assert hint.up_to == 2
    assert 4 <= hint.highest_seen < 9, "a gap is told with the commit that shows it"
    last = sent[-1][1].acknowledgement
    assert (last.up_to, last.highest_seen) == (2, 9)
    assert len(sent) == 2, "and the rest of it once more, after the delay"


def test_an_acknowledgement_names_the_fragments_in_order_and_the_furthest_one_seen():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.fragment is not None and message.fragment.number == 3
    sent = listening(world, lyon)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(8))
    world.run(1)
    last = sent[-1][1].acknowledgement
    assert (last.up_to, last.fragments, last.highest_seen, last.highest_seen_fragment) == (-1, 3, 0, 7)
    assert paris.told(RemoteMessageAcknowledged) == [], "no row has left the transmission queue"
    pinned = paris.view("Ventes").conversation_endpoints[0].far_broker_instance
    assert pinned == lyon.instance.catalog.databases["Stock"].broker_instance


def test_what_is_missing_is_repeated_after_4_8_16_32_64_64_seconds_give_or_take_a_quarter():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.sequence == 0
    sent = listening(world, paris)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "bonjour")
    world.run(400)
    waits = [later - earlier for (earlier, _), (later, _) in pairwise(sent)]
    assert len(waits) >= 6
    for wait, base in zip(waits, (4, 8, 16, 32, 64, 64), strict=False):
        assert base <= wait <= base * 1.25
    assert lyon.receive("Stock", "Entrepôt") == ()


def test_a_duplicate_is_discarded_told_and_acknowledged_again():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.kind is MessageKind.ACKNOWLEDGEMENT
    sent = listening(world, lyon)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "bonjour")
    world.run(6)
    assert [event.number for event in lyon.told(MessageUndeliverable)] == [11218]
    assert [message.acknowledgement.up_to for _, message in sent] == [0, 0]
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"bonjour"]


def test_a_lost_fragment_of_a_message_in_flight_does_not_make_the_others_go_again():
    world, paris, lyon = make_pair()
    tries = []

    def loses(message):
        if message.sequence == 0 and message.fragment is not None and message.fragment.number == 0:
            tries.append(world.seconds)
            return len(tries) <= 3
        return False

    world.loses = loses
    sent = listening(world, paris)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(30))
    world.run(120)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(30)]
    assert len(sent) == 30 + 3


@pytest.mark.parametrize("seed", range(6))
def test_at_5_percent_loss_a_message_is_transmitted_less_than_one_and_a_half_times(seed):
    world = World(seed, loss=0.05)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialogs = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(5)]
    for number in range(1000):
        paris.say("Ventes", dialogs[number % 5], str(number))
        world.run(0.01)
    world.run(300)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert lyon.view("Stock").queues[0].ready == 1000
    assert world.transmissions < 1500
