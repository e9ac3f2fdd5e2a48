"""protocol.md 8.2 rows 4 to 7, 30, and 3.8 (D, S): what begins a dialog at the target, and what waits for it."""

from engine.core.catalog.changes import BrokerSwitched
from engine.core.exchange.events import MessageUndeliverable
from engine.core.vocabulary.limits import WAITING_ROOM_MESSAGES_MAX, WAITING_ROOM_SECONDS
from engine.core.vocabulary.rows import put_together
from tests.support.backups import backup, restore
from tests.support.dialogs import bodies, large, make_pair, states
from tests.support.world import World


def begun_without_message_0(*further):
    """PARIS has sent 0 and more; 0 is lost as long as the test wants."""
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.sequence == 0
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for body in ("0", *further):
        paris.say("Ventes", dialog, body)
    world.run(1)
    return world, paris, lyon


def test_row_7_messages_before_the_first_wait_in_memory_and_are_not_acknowledged():
    world, paris, lyon = begun_without_message_0("1", large(3), "3")
    assert states(lyon, "Stock") == []
    assert put_together(lyon.store.load().databases)[-1].queues == {}
    assert paris.view("Ventes").transmission_queue_total == 4
    world.loses = lambda message: message.sequence != 0
    world.run(6)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"0", b"1", large(3), b"3"], "only message 0 went again"
    assert lyon.told(MessageUndeliverable) == []


def test_row_7_what_waited_for_ten_seconds_is_discarded_with_11213_and_repeated_by_its_sender():
    world, paris, lyon = begun_without_message_0("1")
    world.run(WAITING_ROOM_SECONDS)
    assert [event.number for event in lyon.told(MessageUndeliverable)] == [11213]
    world.loses = lambda message: False
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"0", b"1"]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_row_7_a_crash_forgets_what_waited_and_nothing_is_lost():
    world, paris, lyon = begun_without_message_0("1", "2")
    lyon.kill()
    lyon.start()
    world.loses = lambda message: False
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"0", b"1", b"2"]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_row_7_the_room_is_bounded():
    world, paris, lyon = make_pair()
    world.loses = lambda message: message.sequence == 0
    for _ in range(WAITING_ROOM_MESSAGES_MAX // 200 + 1):
        dialog = paris.begin("Ventes", "Client", "Entrepôt")
        for number in range(201):
            paris.say("Ventes", dialog, str(number))
    world.run(2)
    assert {event.number for event in lyon.told(MessageUndeliverable)} == {11213}
    assert len(lyon.told(MessageUndeliverable)) == (WAITING_ROOM_MESSAGES_MAX // 200 + 1) * 200 - (
        WAITING_ROOM_MESSAGES_MAX
    )


def test_within_one_instance_nothing_waits_in_memory_because_nobody_would_repeat_it():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]), world.database("Compta", ["Facture"]))
    dialog = paris.begin("Ventes", "Client", "Facture")
    paris.say("Ventes", dialog, "0")
    [target] = paris.view("Compta").conversation_endpoints
    paris.end("Compta", target.conversation_handle, with_cleanup=True)
    paris.say("Ventes", dialog, "1")
    assert paris.view("Ventes").transmission_queue_total == 1


def test_row_30_a_reply_to_an_initiator_that_is_gone_is_answered_with_minus_8462():
    world, paris, lyon = make_pair()
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "question")
    world.run(2)
    [question] = lyon.receive("Stock", "Entrepôt")
    paris.end("Ventes", dialog, with_cleanup=True)
    lyon.say("Stock", question.conversation_handle, "réponse")
    world.run(2)
    assert [event.number for event in paris.told(MessageUndeliverable)] == [11209]
    assert states(lyon, "Stock") == ["ER"]
    [error] = lyon.receive("Stock", "Entrepôt")
    assert "<Code>-8462</Code>" in error.message_body.decode("utf-16")


def test_a_target_whose_broker_is_off_makes_no_endpoint():
    world, paris, lyon = make_pair()
    lyon.define(BrokerSwitched(database="Stock", is_enabled=False))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "question")
    world.run(2)
    assert states(lyon, "Stock") == []


def test_row_30_a_message_to_a_target_that_a_restore_took_is_answered_with_minus_8462():
    """Message 0 was acknowledged and is gone, so nothing can begin the dialog anew: its initiator must hear of it."""
    world, paris, lyon = make_pair()
    empty = backup(lyon, "Stock")
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "0")
    world.run(2)
    restore(lyon, "Stock", empty)
    paris.say("Ventes", dialog, "1")
    world.run(10)
    assert states(lyon, "Stock") == []
    assert states(paris, "Ventes") == ["ER"]
    [error] = paris.receive("Ventes", "Client")
    assert "<Code>-8462</Code>" in error.message_body.decode("utf-16")
    paris.end("Ventes", dialog)
    assert paris.view("Ventes").transmission_queue_total == 0
