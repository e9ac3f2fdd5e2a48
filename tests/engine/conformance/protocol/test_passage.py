"""No more is under way to one broker than the way takes; whoever is turned away goes when something has arrived.

Where a forwarder has no room it drops (protocol.md 7.4), so what is sent without measure is sent twice.
"""

import msgspec

from engine.core.vocabulary.limits import LINK_HEADER_BYTES
from tests.support.world import World, route

BODY = "b" * 1_000
MESSAGE = LINK_HEADER_BYTES + len(BODY)


def crowd(messages_under_way, conversations=10, each=1):
    """PARIS with conversations to LYON, to which only a few messages may be under way at once."""
    world = World()
    link = msgspec.structs.replace(world.settings.link, passage_bytes=messages_under_way * MESSAGE)
    world.settings = msgspec.structs.replace(world.settings, link=link)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    handles = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(conversations)]
    for handle in handles:
        for _ in range(each):
            paris.say("Ventes", handle, BODY)
    return world, paris, lyon, handles


def first_sends(node):
    """The messages sent so far, each once: which conversation and number."""
    seen = dict.fromkeys((each.message.message.conversation_id, each.message.message.sequence) for each in node.sent)
    return list(seen)


def received(node):
    numbers = {}
    for rows in iter(lambda: node.receive("Stock", "Entrepôt", top=1000), ()):
        for row in rows:
            numbers.setdefault(row.conversation_handle, []).append(row.message_sequence_number)
    return list(numbers.values())


def test_more_leaves_only_when_something_has_arrived():
    world, paris, _, _ = crowd(3)
    world.loss = 1.0
    world.run(0.5)
    assert len(first_sends(paris)) == 3
    world.loss = 0.0
    world.run(30)
    assert len(first_sends(paris)) == 10


def test_everything_arrives_once_and_in_order_over_a_narrow_way():
    world, paris, lyon, _ = crowd(2, conversations=5, each=30)
    world.run(120)
    assert received(lyon) == [list(range(30))] * 5
    assert paris.view("Ventes").transmission_queue_total == 0
    assert world.transmissions < 5 * 30 * 1.2 + 120, "nothing is sent twice because it had to wait"


def test_whoever_waits_for_those_that_are_gone_waits_no_longer_than_a_retry():
    world, paris, lyon, _ = crowd(2, conversations=4)
    world.loss = 1.0
    world.run(0.5)
    under_way = {conversation for conversation, _ in first_sends(paris)}
    assert len(under_way) == 2
    for row in paris.view("Ventes").conversation_endpoints:
        if row.conversation_id in under_way:
            paris.end("Ventes", row.conversation_handle, with_cleanup=True)
    world.loss = 0.0
    world.run(6)
    assert received(lyon) == [[0]] * 2


def test_a_conversation_that_has_nothing_to_send_any_more_keeps_nobody_behind_it_waiting():
    world, paris, lyon, _ = crowd(1, conversations=3)
    world.loss = 1.0
    world.run(0.5)
    begun = {conversation for conversation, _ in first_sends(paris)}
    waiting = [row for row in paris.view("Ventes").conversation_endpoints if row.conversation_id not in begun]
    assert len(waiting) == 2
    paris.end("Ventes", waiting[0].conversation_handle, with_cleanup=True)
    world.loss = 0.0
    world.run(6)
    assert received(lyon) == [[0]] * 2


def test_those_who_send_without_end_do_not_keep_out_those_who_wait():
    world, paris, _, _ = crowd(4, conversations=3, each=200)
    world.run(0.2)
    late = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", late, BODY)
    sent = len(first_sends(paris))
    [row] = [row for row in paris.view("Ventes").conversation_endpoints if row.conversation_handle == late]
    while row.conversation_id not in {conversation for conversation, _ in first_sends(paris)}:
        world.run(0.1)
    assert len(first_sends(paris)) - sent < 100, "three windows would be 600"


def test_repeats_of_what_is_old_do_not_make_the_lost_count_as_under_way():
    """Whatever a neighbour acknowledges again and again, what left after it is given up after a retry's time."""
    world, paris, lyon, handles = crowd(10, conversations=20, each=3)
    world.run(3)
    received(lyon)
    world.loss = 1.0
    for handle in handles:
        paris.say("Ventes", handle, BODY)
    world.run(70)
    world.loss = 0.0
    before = len(first_sends(paris))
    paris.say("Ventes", handles[-1], BODY)
    world.run(10)
    assert len(first_sends(paris)) > before
    world.run(120)
    assert paris.view("Ventes").transmission_queue_total == 0
