"""A connection is given no more than it has room for; who is turned away has its turn when there is room again."""

import msgspec
import pytest

from engine.core.catalog.changes import PriorityCreated, PriorityHonoured
from engine.core.catalog.objects import BrokerPriority
from engine.core.vocabulary.limits import LINK_HEADER_BYTES, STARVATION_ELEVATION_EVERY
from engine.core.vocabulary.messages import LinkChange, LinkHasRoom, LinkState
from tests.support.world import World, route

BODY = "b" * 1_000
MESSAGE = LINK_HEADER_BYTES + len(BODY)


def crowd(messages_of_room, *definitions, conversations=10, each=1):
    """PARIS with conversations to LYON, whose connection takes a few messages and tells room only when asked to."""
    world = World()
    link = msgspec.structs.replace(world.settings.link, room_bytes=messages_of_room * MESSAGE)
    world.settings = msgspec.structs.replace(world.settings, link=link)
    home = world.database("Ventes", ["Client", "Grand client"], route("Entrepôt", "lyon"))
    paris = world.instance("PARIS", home, list(definitions))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    wanted = []
    told, paris.tell_room = paris.tell_room, wanted.append
    handles = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(conversations)]
    for handle in handles:
        for _ in range(each):
            paris.say("Ventes", handle, BODY)
    return world, paris, lyon, wanted, told


def first_sends(node):
    """The messages sent so far, each once: which conversation and number."""
    seen = dict.fromkeys((each.message.message.conversation_id, each.message.message.sequence) for each in node.sent)
    return list(seen)


def receive_all(node):
    return [row for rows in iter(lambda: node.receive("Stock", "Entrepôt", top=1000), ()) for row in rows]


def test_what_a_connection_has_no_room_for_waits_until_it_tells():
    world, paris, _, wanted, _ = crowd(3)
    world.run(0.5)
    assert len(first_sends(paris)) == 3
    [address] = wanted
    paris.feed(LinkHasRoom(address))
    assert (len(first_sends(paris)), wanted) == (6, [address] * 2)
    paris.feed(LinkHasRoom(address))
    paris.feed(LinkHasRoom(address))
    assert len(first_sends(paris)) == 10
    assert wanted == [address] * 3, "nobody waits any more, and it is not full"


def test_conversations_that_were_turned_away_have_their_turns_in_the_order_of_their_coming():
    world, paris, _, wanted, _ = crowd(2, conversations=6)
    world.run(0.5)
    for _ in range(3):
        paris.feed(LinkHasRoom(wanted[0]))
    begun = [number for conversation, number in first_sends(paris)]
    order = list(dict.fromkeys(conversation for conversation, _ in first_sends(paris)))
    told = [row.conversation_id for row in paris.view("Ventes").conversation_endpoints]
    assert begun == [0] * 6
    assert sorted(order) == sorted(told)


def test_everything_arrives_once_and_in_order_through_a_connection_that_is_always_full():
    world, paris, lyon, _, told = crowd(1, conversations=5, each=30)
    paris.tell_room = told
    world.run(60)
    numbers = {}
    for row in receive_all(lyon):
        numbers.setdefault(row.conversation_handle, []).append(row.message_sequence_number)
    assert list(numbers.values()) == [list(range(30))] * 5
    assert paris.view("Ventes").transmission_queue_total == 0
    assert world.transmissions < 5 * 30 * 1.2 + 60, "nothing is sent twice because it had to wait"


def test_what_is_in_flight_is_repeated_by_its_deadline_also_while_the_connection_is_full():
    world, paris, _, _, _ = crowd(2, conversations=4)
    world.loss = 1.0
    world.run(30)
    assert len(first_sends(paris)) == 2
    assert len(paris.sent) >= 6, "4 s, 8 s, 16 s"


@pytest.mark.parametrize("room_told", [True, False])
def test_a_connection_that_comes_up_again_is_empty(room_told):
    world, paris, lyon, wanted, _ = crowd(2, conversations=4)
    world.run(0.5)
    paris.lose(wanted[0])
    if room_told:
        paris.feed(LinkHasRoom(wanted[0]))
        assert len(first_sends(paris)) == 2, "news of a connection that is gone"
    world.run(20)
    for _ in range(3):
        paris.feed(LinkHasRoom(wanted[0]))
        world.run(1)
    assert len(receive_all(lyon)) == 4


def test_higher_priorities_have_their_turns_first_and_nobody_starves():
    """protocol.md 11."""
    level = PriorityCreated(database="Ventes", priority=BrokerPriority("grands clients", None, "Grand client", None, 9))
    honoured = PriorityHonoured(database="Ventes", is_honoured=True)
    world, paris, _, wanted, _ = crowd(1, level, honoured, conversations=4)
    world.run(0.5)
    high = [paris.begin("Ventes", "Grand client", "Entrepôt") for _ in range(STARVATION_ELEVATION_EVERY + 5)]
    for handle in high:
        paris.say("Ventes", handle, BODY)
    paris.sent.clear()
    for _ in range(len(high) + 3):
        paris.feed(LinkHasRoom(wanted[0]))
    sources = [each.message.message.source.service_name for each in paris.sent]
    assert sources[:STARVATION_ELEVATION_EVERY] == ["Grand client"] * STARVATION_ELEVATION_EVERY
    assert sources[STARVATION_ELEVATION_EVERY] == "Client", "the guard against starvation"
    assert sources.count("Grand client") == len(high)
    assert sources.count("Client") == 3


def test_room_of_a_connection_that_nobody_knows_changes_nothing():
    world, paris, *_ = crowd(2, conversations=1)
    world.run(0.5)
    sent = len(paris.sent)
    paris.feed(LinkChange(address=next(iter(paris.links)), state=LinkState.CLOSED, error=None))
    paris.feed(LinkHasRoom(next(iter(paris.links))))
    assert len(paris.sent) == sent
