"""protocol.md 8.2 to 8.7 (D, S): how conversations end, what stays behind, and for how long."""

import msgspec
import pytest

from engine.core.catalog.changes import RouteCreated, RouteDropped
from engine.core.exchange.events import MessageUndeliverable
from engine.core.vocabulary.messages import ForwardedMessage, MessageKind
from engine.core.vocabulary.moment import NEVER_SET
from engine.core.vocabulary.rows import TransmissionRow, put_together
from tests.support.dialogs import bodies, large, make_pair, states, statuses
from tests.support.world import EPOCH, route

GUARD = 1800


def nothing_is_lost(message):
    return False


def only(node, database):
    [endpoint] = node.view(database).conversation_endpoints
    return endpoint


def conversing(**settings):
    """Both sides in CO; answers the world, both nodes and both handles."""
    world, paris, lyon = make_pair(**settings)
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "question")
    world.run(2)
    [question] = lyon.receive("Stock", "Entrepôt")
    return world, paris, lyon, dialog, question.conversation_handle


def code(row):
    return row.message_body.decode("utf-16").split("<Code>")[1].split("</Code>")[0]


def test_si_a_target_may_end_before_message_0_is_complete_and_its_fragments_go():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.fragment is not None and message.fragment.number == 2
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, large(5))
    world.run(2)
    lyon.end("Stock", only(lyon, "Stock").conversation_handle)
    assert statuses(lyon, "Stock", "Entrepôt") == []
    world.loses = nothing_is_lost
    world.run(30)
    assert states(paris, "Ventes") == ["DI"]
    assert states(lyon, "Stock") == ["CD"]
    assert paris.statuses("Ventes") == {9779}, "row 10: what was pending is frozen"
    paris.end("Ventes", dialog)
    assert put_together(paris.store.load().databases)[-1].transmission == []


def test_row_9_an_error_takes_the_place_of_a_large_message_that_was_half_there():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.fragment is not None and message.fragment.number == 2
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, large(5))
    world.run(2)
    paris.end("Ventes", dialog, error_code=7, error_description="non")
    world.run(2)
    assert [code(row) for row in lyon.receive("Stock", "Entrepôt")] == ["7"]
    assert statuses(lyon, "Stock", "Entrepôt") == []
    assert (states(paris, "Ventes"), states(lyon, "Stock")) == ([], ["ER"])


def test_row_9_an_error_of_a_target_whose_reply_never_left_reaches_the_initiator():
    world, paris, lyon, _, answering = conversing()
    paris.kill()
    lyon.say("Stock", answering, "réponse")
    lyon.end("Stock", answering, error_code=7, error_description="non")
    assert states(lyon, "Stock") == ["DO"]
    paris.start()
    world.run(60)
    assert [code(row) for row in paris.receive("Ventes", "Client")] == ["7"]


def test_row_9_after_a_restart_the_far_side_is_told_because_it_may_have_heard_of_the_dialog():
    world, paris, _ = make_pair()
    world.loses = lambda message: message.kind is MessageKind.ACKNOWLEDGEMENT
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "question")
    world.run(2)
    paris.kill()
    world.nodes.pop(next(address for address in world.nodes if address.host == "lyon"))
    paris.start()
    paris.end("Ventes", dialog, error_code=7, error_description="non")
    assert states(paris, "Ventes") == ["DO"]


def test_row_3_an_error_before_anything_left_ends_the_dialog_without_a_word():
    world, paris, lyon = make_pair()
    lyon.kill()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "question")
    paris.end("Ventes", dialog, error_code=7, error_description="non")
    assert states(paris, "Ventes") == []
    assert put_together(paris.store.load().databases)[-1].transmission == []
    assert world.transmissions == 0


def test_row_12_and_19_when_the_lifetime_is_over_each_side_raises_its_own_error_and_do_just_goes():
    world, paris, lyon = make_pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt", lifetime_seconds=20)
    ending = paris.begin("Ventes", "Client", "Entrepôt", lifetime_seconds=20)
    for each in (dialog, ending):
        paris.say("Ventes", each, "question")
    world.run(2)
    assert only_lifetimes(lyon) == {EPOCH + 20}, "the target learns it from the first message"
    lyon.kill()
    paris.end("Ventes", ending)
    assert sorted(states(paris, "Ventes")) == ["CO", "DO"]
    world.run(20)
    assert states(paris, "Ventes") == ["ER"]
    assert [code(row) for row in paris.receive("Ventes", "Client")] == ["-8489"]
    lyon.start()
    world.run(2)
    assert states(lyon, "Stock") == ["ER", "ER"]
    errors = [row for _ in range(2) for row in lyon.receive("Stock", "Entrepôt") if row.message_body != b"question"]
    assert [code(row) for row in errors] == ["-8489", "-8489"]


def only_lifetimes(node):
    return {endpoint.lifetime for endpoint in node.view("Stock").conversation_endpoints}


def test_row_18_the_fire_and_forget_trap_the_error_is_thrown_away_and_nobody_is_told():
    world, paris, lyon, dialog, answering = conversing()
    world.loses = lambda message: message.kind is MessageKind.END_DIALOG
    paris.end("Ventes", dialog)
    lyon.end("Stock", answering, error_code=7, error_description="refusé")
    world.run(1)
    assert states(paris, "Ventes") == []
    assert statuses(paris, "Ventes", "Client") == []
    world.loses = nothing_is_lost
    world.run(60)
    assert states(lyon, "Stock") == ["CD"], "its Error was acknowledged"


def test_row_18_a_target_stays_as_replay_guard_so_that_a_late_copy_of_message_0_begins_nothing():
    """The initiator is gone when a copy of the answer comes: its broker says so while message 0 is still about."""
    world, paris, lyon, dialog, answering = conversing()
    [opening] = [sent for sent in paris.sent if sent.message.message.sequence == 0][:1]
    world.loses = lambda message: message.kind is MessageKind.ACKNOWLEDGEMENT and message.from_initiator
    lyon.say("Stock", answering, "réponse")
    lyon.end("Stock", answering)
    world.run(1)
    paris.end("Ventes", dialog)
    assert states(paris, "Ventes") == []
    world.run(30)
    assert states(lyon, "Stock") == ["CD"]
    lyon.feed(opening.message)
    world.run(1)
    assert states(lyon, "Stock") == ["CD"]
    assert lyon.receive("Stock", "Entrepôt") == ()
    world.run(GUARD + 10)
    assert states(lyon, "Stock") == []


def fire_and_forget(**begin):
    """BEGIN, SEND and END in one go; the target reads and ends."""
    world, paris, lyon = make_pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt", **begin)
    paris.say("Ventes", dialog, "tirez")
    paris.end("Ventes", dialog)
    world.run(2)
    [first, _] = lyon.receive("Stock", "Entrepôt")
    lyon.end("Stock", first.conversation_handle)
    world.run(5)
    return world, paris, lyon, first.conversation_handle


def test_8_5_begin_send_end_in_one_go_leaves_the_target_endpoint_behind_until_its_lifetime_and_the_guard():
    world, paris, lyon, _ = fire_and_forget(lifetime_seconds=100_000)
    assert (states(paris, "Ventes"), states(lyon, "Stock")) == ([], ["CD"])
    assert only(lyon, "Stock").security_timestamp == NEVER_SET
    world.run(100_000 + GUARD - 10 - world.seconds)
    assert states(lyon, "Stock") == ["CD"]
    world.run(20)
    assert states(lyon, "Stock") == []


def test_8_5_the_leak_is_cleaned_up_by_end_with_cleanup():
    _, _, lyon, handle = fire_and_forget()
    lyon.end("Stock", handle, with_cleanup=True)
    assert states(lyon, "Stock") == []
    assert put_together(lyon.store.load().databases)[-1].endpoints == []


def test_8_5_a_message_that_says_message_0_is_deleted_arms_the_guard_for_30_minutes():
    world, paris, lyon, dialog, answering = conversing()
    assert only(lyon, "Stock").security_timestamp == NEVER_SET
    paris.say("Ventes", dialog, "encore")
    world.run(2)
    armed = only(lyon, "Stock").security_timestamp
    assert EPOCH + GUARD < armed <= EPOCH + GUARD + world.seconds
    lyon.end("Stock", answering)
    world.run(2)
    paris.end("Ventes", dialog)
    world.run(2)
    last = only(lyon, "Stock").security_timestamp
    assert (states(paris, "Ventes"), states(lyon, "Stock")) == ([], ["CD"])
    world.run(last - EPOCH - world.seconds - 1)
    assert states(lyon, "Stock") == ["CD"]
    world.run(2)
    assert states(lyon, "Stock") == []


def test_8_5_the_guard_is_not_armed_by_an_acknowledgement_of_a_part_of_message_0():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.fragment is not None and message.fragment.number == 300
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(1200))
    world.run(5)
    assert only(lyon, "Stock").state == "SI"
    assert only(lyon, "Stock").security_timestamp == NEVER_SET


def test_row_30_a_closed_target_answers_what_is_no_duplicate_with_minus_8462():
    world, paris, lyon, dialog, answering = conversing()
    lyon.end("Stock", answering)
    world.loses = lambda message: message.sequence is not None and not message.from_initiator
    world.run(1)
    world.loses = nothing_is_lost
    world.run(10)
    assert (states(paris, "Ventes"), states(lyon, "Stock")) == (["DI"], ["CD"])
    transit = transit_of(paris, dialog)
    lyon.feed(transit)
    world.run(1)
    assert [event.number for event in lyon.told(MessageUndeliverable)][-1:] == [11212]
    assert states(paris, "Ventes") == ["ER"]


def transit_of(node, dialog):
    """A message that the far end cannot expect, as the node would send it."""
    endpoint = node.instance._broker.conversations["Ventes", dialog]
    row = TransmissionRow(
        conversation_handle=dialog,
        message_sequence_number=5,
        kind=MessageKind.USER,
        message_type_name="DEFAULT",
        message_body=b"?",
        enqueue_time=0.0,
    )
    message = msgspec.structs.replace(endpoint.message(row), acknowledgement=None)
    return ForwardedMessage(message=message, hops_remaining=16, time_to_live=60.0)


def test_8_7_a_clean_up_before_the_acknowledgement_lets_a_retry_raise_the_dialog_again():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.kind is MessageKind.ACKNOWLEDGEMENT
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "question")
    world.run(2)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"question"]
    lyon.end("Stock", only(lyon, "Stock").conversation_handle, with_cleanup=True)
    world.loses = nothing_is_lost
    world.run(10)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"question"], "processed twice, as the vendor warns"


@pytest.mark.parametrize("pieces", [1, 20])
def test_8_6_the_copy_that_acknowledges_first_keeps_the_dialog_the_other_gets_minus_8495(pieces):
    world, paris, lyon = make_pair()
    nice = world.instance("NICE", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    world.loses = lambda message: not message.from_initiator
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), large(pieces))
    world.run(1)
    paris.define(
        RouteDropped(database="Ventes", name="to Entrepôt by lyon"),
        RouteCreated(database="Ventes", route=route("Entrepôt", "nice")),
    )
    world.loses = nothing_is_lost
    world.run(60)
    pinned = only(paris, "Ventes").far_broker_instance
    nodes = {node.instance.catalog.databases["Stock"].broker_instance: node for node in (lyon, nice)}
    winner = nodes.pop(pinned)
    [loser] = nodes.values()
    assert bodies(winner.receive("Stock", "Entrepôt")) == [large(pieces)]
    if states(loser, "Stock") == ["ER"]:
        assert code(loser.receive("Stock", "Entrepôt")[0]) == "-8495"
        assert 11224 in {event.number for event in paris.told(MessageUndeliverable)}
