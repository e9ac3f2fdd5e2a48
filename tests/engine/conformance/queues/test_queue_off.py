"""A queue that is off: what arrives waits in the transmission queue of its own database (protocol.md 4)."""

import pytest

from engine.core.catalog.changes import QueueAltered
from engine.core.exchange.commands import BeginConversationTimer, GetConversationGroup, SetQueueStatus
from engine.core.exchange.events import MessageDelivered, QueueSwitched
from tests.support.world import World, route

QUEUE = "dbo.Guichet"


def switch(desk, is_enabled):
    return desk.do(SetQueueStatus, queue=QUEUE, is_enabled=is_enabled)


@pytest.fixture
def closed(desk):
    desk.define(QueueAltered(database="Ventes", name=QUEUE, is_enabled=False))
    return desk


def test_an_arrival_waits_in_the_targets_transmission_queue_and_moves_when_the_queue_comes_on(closed):
    """protocol.md 4: SEND, same instance, target queue OFF: held in the target's transmission queue."""
    client = closed.ask("a", "b")
    assert closed.endpoint(client).state.value == "CO"
    view = closed.node.view("Ventes")
    assert [row.message_sequence_number for row in view.transmission_queue] == [0, 1]
    assert {row.transmission_status_number for row in view.transmission_queue} == {9617}
    assert (view.transmission_queue_total, closed.queue().awaiting, closed.queue().ready) == (2, 2, 0)
    assert closed.node.instance.peek("Ventes", QUEUE, 10).total == 0
    assert closed.node.told(MessageDelivered) == []
    switch(closed, True)
    assert [event.message_sequence_number for event in closed.node.told(MessageDelivered)] == [0, 1]
    assert (closed.node.view("Ventes").transmission_queue_total, closed.queue().ready) == (0, 2)
    assert closed.read() == ["a", "b"]


@pytest.mark.parametrize("when", ["while off", "after on"])
def test_what_waits_survives_a_crash(closed, when):
    closed.ask("a")
    if when == "after on":
        switch(closed, True)
    closed.crash()
    assert closed.queue().awaiting == (1 if when == "while off" else 0)
    switch(closed, True)
    assert closed.read() == ["a"]


def test_a_message_from_the_network_is_acknowledged_and_parked():
    """protocol.md 4: arrived, target queue OFF: acknowledged, since it is durable; also what arrived early."""
    world = World(loss=0.3, reorders=True, seed=5)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=False))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(30):
        paris.say("Ventes", dialog, str(number))
    world.run(300)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert lyon.view("Stock").queues[0].awaiting == 30
    lyon.kill()
    lyon.start()
    lyon.define(QueueAltered(database="Stock", name="dbo.Entrepôt", is_enabled=True))
    assert [row.message_body.decode() for row in lyon.receive("Stock", "Entrepôt")] == [str(n) for n in range(30)]


def test_nothing_can_be_received_and_what_was_inside_stays_inside(desk):
    """protocol.md 12 and 14: queue OFF: 9617, nothing can be removed."""
    desk.ask("a")
    switch(desk, False)
    desk.ask("b")
    assert desk.receive().number == 9617
    assert desk.do(GetConversationGroup, queue=QUEUE).number == 9617
    assert (desk.queue().ready, desk.queue().awaiting) == (1, 1)
    switch(desk, True)
    assert (desk.read(), desk.read()) == (["a"], ["b"])


def test_a_transaction_that_has_received_commits_although_the_queue_is_switched_off(desk):
    desk.ask("a")
    session = desk.begin()
    assert desk.read(session) == ["a"]
    switch(desk, False)
    assert desk.receive(session).number == 9617
    desk.commit(session)
    switch(desk, True)
    assert desk.read() == []


def test_end_deletes_what_waits_for_the_queue(closed):
    client = closed.ask("a")
    [row] = closed.node.view("Ventes").transmission_queue
    closed.end(row.conversation_handle)
    assert closed.node.view("Ventes").transmission_queue_total == 0
    assert closed.stored_rows() == []
    assert closed.endpoint(client).state.value == "DI"


def test_a_timer_of_a_conversation_whose_queue_is_off_fires_into_the_transmission_queue(closed):
    closed.ask("a")
    [row] = closed.node.view("Ventes").transmission_queue
    closed.do(BeginConversationTimer, conversation_handle=row.conversation_handle, timeout_seconds=5)
    closed.world.run(6)
    assert closed.queue().awaiting == 2
    switch(closed, True)
    names = [row.message_type_name.rpartition("/")[2] for row in closed.receive().messages]
    assert names == ["DialogTimer", "DEFAULT"]


def test_switching_by_command_is_told_kept_and_refused_for_what_is_not_there(desk):
    assert switch(desk, False).is_enabled is False
    assert switch(desk, False).is_enabled is False
    assert [event.is_enabled for event in desk.node.told(QueueSwitched)] == [False]
    revision = desk.node.instance.catalog.revision
    desk.crash()
    assert (desk.queue().is_enabled, desk.node.instance.catalog.revision) == (False, revision)
    assert desk.do(SetQueueStatus, queue="dbo.Nirgends", is_enabled=True).number == 15151
    assert desk.node.do(SetQueueStatus, database="Nirgends", queue=QUEUE, is_enabled=True).number == 911
    assert desk.queue().is_enabled is False
