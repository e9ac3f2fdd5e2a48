"""Large messages beside queues that are off, transactions, retention, groups, priorities, backups and full links."""

import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import PriorityCreated, PriorityHonoured, QueueAltered
from engine.core.catalog.objects import BrokerPriority
from engine.core.exchange.commands import (
    BeginTransaction,
    CommitTransaction,
    EndConversation,
    MoveConversation,
    Receive,
    RollbackTransaction,
    Send,
    SetQueueStatus,
)
from engine.core.exchange.events import ForwardedMessageDropped, MessageDelivered
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.messages import MessagesReturned
from engine.core.vocabulary.rows import QueueRowStatus, put_together
from tests.support.backups import attach, backup, restore
from tests.support.dialogs import FRAGMENT, bodies, large, make_pair, states, statuses

QUEUE = "dbo.Entrepôt"


def begin(paris):
    return paris.begin("Ventes", "Client", "Entrepôt")


def switch(node, *, is_enabled):
    return node.do(SetQueueStatus, database="Stock", queue=QUEUE, is_enabled=is_enabled)


def stored(node, database="Stock", queue=QUEUE):
    [rows] = [each for each in put_together(node.store.load().databases) if each.name == database]
    return rows.queues.get(queue, [])


def holding_back(world, *missing):
    """These fragments are lost from now on."""
    world.loses = lambda message: message.fragment is not None and message.fragment.number in missing


# ── queues that are off (protocol.md 4) ──
@pytest.mark.parametrize("crashes", [False, True])
def test_fragments_for_a_queue_that_is_off_are_acknowledged_and_wait_in_the_transmission_queue(crashes):
    world, paris, lyon = make_pair()
    switch(lyon, is_enabled=False)
    holding_back(world, 3)
    paris.say("Ventes", begin(paris), large(6))
    world.run(2)
    assert (lyon.view("Stock").queues[0].awaiting, lyon.view("Stock").queues[0].disabled) == (5, 0)
    assert lyon.statuses("Stock") == {9617}
    if crashes:
        lyon.kill()
        lyon.start()
    world.loses = lambda message: False
    world.run(60)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert (len(stored(lyon)), lyon.view("Stock").queues[0].awaiting) == (1, 1), "whole, and still waiting"
    assert lyon.told(MessageDelivered) == []
    switch(lyon, is_enabled=True)
    assert [event.message_sequence_number for event in lyon.told(MessageDelivered)] == [0]
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(6)]


def test_a_queue_that_comes_on_in_the_middle_of_a_message_shows_its_fragments_and_gets_the_whole():
    world, paris, lyon = make_pair()
    switch(lyon, is_enabled=False)
    holding_back(world, 1)
    dialog = begin(paris)
    paris.say("Ventes", dialog, large(3))
    paris.say("Ventes", dialog, "petit")
    world.run(2)
    switch(lyon, is_enabled=True)
    assert sorted(statuses(lyon, "Stock", "Entrepôt"), key=str) == [(2, 0), (2, 2), (2, None)]
    assert lyon.told(MessageDelivered) == [], "nothing of it can be received yet"
    world.loses = lambda message: False
    world.run(20)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(3), b"petit"]


# ── transactions, retention, groups (protocol.md 10, 12, 15) ──
def test_a_large_message_of_a_transaction_leaves_with_its_commit_and_not_after_a_rollback():
    world, paris, lyon = make_pair()
    dialog = begin(paris)
    sent = []
    world.loses = lambda message: sent.append(message) or False
    for ending in (RollbackTransaction, CommitTransaction):
        transaction = paris.do(BeginTransaction).transaction
        paris.do(Send, database="Ventes", conversation_handle=dialog, body=large(5), transaction=transaction)
        world.run(2)
        assert sent == []
        paris.do(ending, transaction=transaction)
        world.run(2)
    assert [message.fragment.number for message in sent if message.fragment] == [0, 1, 2, 3, 4]
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(5)]


def test_a_body_that_is_too_large_is_refused_at_once_inside_a_transaction_too():
    _, paris, _ = make_pair(message_bytes_max=4 * FRAGMENT)
    dialog = begin(paris)
    transaction = paris.do(BeginTransaction).transaction
    fields = {"database": "Ventes", "conversation_handle": dialog, "transaction": transaction}
    reply = paris.do(Send, body=large(4) + b"x", **fields)
    assert isinstance(reply, Refusal)
    assert reply.number == 8459
    assert paris.do(Send, body=large(4), **fields).message_sequence_number == 0


def test_a_received_large_message_comes_back_whole_when_its_transaction_is_rolled_back():
    world, paris, lyon = make_pair()
    paris.say("Ventes", begin(paris), large(5))
    world.run(2)
    for ending in (RollbackTransaction, CommitTransaction):
        transaction = lyon.do(BeginTransaction).transaction
        reply = lyon.do(Receive, database="Stock", queue=QUEUE, transaction=transaction)
        assert bodies(reply.messages) == [large(5)]
        lyon.do(ending, transaction=transaction)
    assert lyon.receive("Stock", "Entrepôt") == ()


def test_retention_keeps_a_large_message_whole_on_both_sides():
    world, paris, lyon = make_pair()
    paris.define(QueueAltered(database="Ventes", name="dbo.Client", is_retention_enabled=True))
    lyon.define(QueueAltered(database="Stock", name=QUEUE, is_retention_enabled=True))
    paris.say("Ventes", begin(paris), large(5))
    world.run(2)
    lyon.receive("Stock", "Entrepôt")
    for rows, status in (
        (stored(paris, "Ventes", "dbo.Client"), QueueRowStatus.SENT_RETAINED),
        (stored(lyon), QueueRowStatus.RECEIVED_RETAINED),
    ):
        assert [(row.status, row.fragment, row.message_body) for row in rows] == [(status, None, large(5))]


def test_a_conversation_moves_to_another_group_in_the_middle_of_a_large_message():
    world, paris, lyon = make_pair()
    paris.say("Ventes", begin(paris), "first")
    dialog = begin(paris)
    paris.say("Ventes", dialog, "second")
    world.run(2)
    first, second = lyon.view("Stock").conversation_endpoints
    while lyon.receive("Stock", "Entrepôt"):
        pass
    holding_back(world, 1)
    paris.say("Ventes", dialog, large(3))
    world.run(2)
    group = first.conversation_group_id
    moved = {"conversation_handle": second.conversation_handle, "conversation_group_id": group}
    assert not isinstance(lyon.do(MoveConversation, database="Stock", **moved), Refusal)
    assert {row.conversation_group_id for row in stored(lyon)} == {group}
    world.loses = lambda message: False
    world.run(20)
    [row] = lyon.receive("Stock", "Entrepôt")
    assert (row.conversation_group_id, row.message_body) == (group, large(3))


def test_an_error_inside_a_transaction_takes_the_place_of_a_large_message_that_is_under_way():
    world, paris, lyon = make_pair()
    holding_back(world, 1)
    dialog = begin(paris)
    paris.say("Ventes", dialog, large(3))
    world.run(2)
    transaction = paris.do(BeginTransaction).transaction
    fields = {"database": "Ventes", "conversation_handle": dialog, "transaction": transaction}
    paris.do(EndConversation, error_code=7, error_description="no more", **fields)
    paris.do(CommitTransaction, transaction=transaction)
    world.run(30)
    [row] = lyon.receive("Stock", "Entrepôt")
    assert row.message_type_name.endswith("/Error")
    assert states(lyon, "Stock") == ["ER"]
    assert stored(lyon) == [], "its fragments have gone"


# ── priorities (protocol.md 11) ──
def test_an_urgent_message_leaves_before_all_fragments_and_those_take_turns():
    world, paris, _ = make_pair()
    urgent = BrokerPriority("Vite", remote_service="Entrepôt", local_service="Client", level=9)
    order = []
    world.loses = lambda message: order.append(message) or False
    slow, other = begin(paris), begin(paris)
    paris.define(
        PriorityHonoured(database="Ventes", is_honoured=True), PriorityCreated(database="Ventes", priority=urgent)
    )
    quick = begin(paris)
    paris.say("Ventes", slow, large(3))
    paris.say("Ventes", other, large(3))
    paris.say("Ventes", quick, "urgent")
    world.run(0.015)
    pieces = [(message.conversation_id, message.fragment.number) for message in order[1:]]
    assert order[0].body == b"urgent"
    assert [number for _, number in pieces] == [0, 0, 1, 1, 2, 2]
    assert len({conversation for conversation, _ in pieces[:2]}) == 2


# ── backups (identity.md 4) ──
@pytest.mark.parametrize("option", [None, AttachOption.ENABLE_BROKER])
def test_a_restored_database_goes_on_with_the_fragments_it_had(option):
    world, paris, lyon = make_pair()
    holding_back(world, 2, 4)
    paris.say("Ventes", begin(paris), large(6))
    world.run(2)
    taken = backup(lyon, "Stock")
    assert len(taken.rows.queues[QUEUE]) == 4
    lyon.kill()
    lyon.start()
    restore(lyon, "Stock", taken, option=option)
    assert sorted(statuses(lyon, "Stock", "Entrepôt")) == [(2, 0), (2, 1), (2, 3), (2, 5)]
    world.loses = lambda message: False
    world.run(120)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(6)]


def test_a_sender_restored_elsewhere_cuts_its_large_messages_as_before():
    world, paris, lyon = make_pair()
    lyon.kill()
    paris.say("Ventes", begin(paris), large(6))
    taken = backup(paris, "Ventes")
    assert [row.fragment_bytes for row in taken.rows.transmission] == [FRAGMENT]
    rome = world.instance("ROME")
    paris.kill()
    attach(rome, "Ventes", taken, option=AttachOption.ENABLE_BROKER)
    assert rome.view("Ventes").transmission_queue_total == 1
    lyon.start()
    world.run(120)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(6)]


def test_a_backup_holds_what_waits_for_a_queue_that_is_off():
    world, paris, lyon = make_pair()
    switch(lyon, is_enabled=False)
    paris.say("Ventes", begin(paris), "acknowledged")
    world.run(2)
    assert paris.view("Ventes").transmission_queue_total == 0
    taken = backup(lyon, "Stock")
    restore(lyon, "Stock", taken)
    assert lyon.view("Stock").queues[0].awaiting == 1
    switch(lyon, is_enabled=True)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [b"acknowledged"]


@pytest.mark.parametrize("option", [AttachOption.ERROR_BROKER_CONVERSATIONS, AttachOption.NEW_BROKER])
def test_a_database_that_ends_its_conversations_gives_up_fragments_and_their_room(option):
    world, paris, lyon = make_pair(reassembly_bytes_max=8 * FRAGMENT)
    holding_back(world, 2)
    paris.say("Ventes", begin(paris), large(6))
    world.run(2)
    taken = backup(lyon, "Stock")
    restore(lyon, "Stock", taken, option=option)
    assert all(row.fragment is None for row in stored(lyon))
    world.loses = lambda message: False
    lyon.receive("Stock", "Entrepôt")
    paris.say("Ventes", begin(paris), large(7))
    world.run(60)
    assert large(7) in bodies(lyon.receive("Stock", "Entrepôt"))


# ── links that are full (protocol.md 7) ──
@pytest.mark.parametrize("room", [0, 1, 7, 30])
def test_fragments_that_the_link_refused_are_sent_again_by_their_deadline(room):
    world, paris, lyon = make_pair()
    carried, refused = paris.send, []

    def full(outbound):
        if len(paris.sent) < room:
            carried(outbound)
            return
        refused.append(outbound)
        back = MessagesReturned(address=outbound.address, messages=(outbound.message,), is_closed=False)
        world.at(world.seconds, lambda: paris.feed(back))

    paris.send = full
    paris.say("Ventes", begin(paris), large(40))
    world.run(1)
    assert len(refused) >= 40 - room
    assert paris.told(ForwardedMessageDropped) == [], "what is our own is not in transit"
    assert lyon.receive("Stock", "Entrepôt") == ()
    paris.send = carried
    world.run(60)
    assert bodies(lyon.receive("Stock", "Entrepôt")) == [large(40)]
    assert paris.view("Ventes").transmission_queue_total == 0
