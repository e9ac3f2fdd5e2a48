"""Many SENDs and RECEIVEs as one command each, and what redelivery of a transaction's statements answers."""

from uuid import uuid4

import pytest

from engine.core.exchange.commands import CommitTransaction, EndConversation, OutgoingMessage, Receive, SendMany
from engine.core.exchange.events import MessagesTaken
from engine.core.exchange.replies import MessagesReceived, Refusal
from engine.core.vocabulary.identifiers import MessageTypeName
from engine.core.vocabulary.limits import SEND_MESSAGES_MAX, TRANSACTION_STATEMENTS_MAX


def messages(*pairs):
    return tuple(OutgoingMessage(handle, body.encode()) for handle, body in pairs)


def send(desk, *pairs, transaction=None):
    return desk.do(SendMany, messages=messages(*pairs), transaction=transaction)


def test_messages_of_several_conversations_go_in_their_order_and_each_gets_its_number(desk):
    one, two = desk.ask(), desk.ask()
    reply = send(desk, (one, "a"), (two, "x"), (one, "b"), (one, "c"))
    assert reply.message_sequence_numbers == (0, 0, 1, 2)
    assert desk.read() == ["a", "b", "c"]
    assert desk.read() == ["x"]


@pytest.mark.parametrize("in_transaction", [False, True])
def test_one_that_is_refused_leaves_all_of_them_undone(desk, in_transaction):
    one, ended = desk.ask(), desk.ask("z")
    desk.do(EndConversation, conversation_handle=ended)
    assert desk.read() == ["z", ""], "the message and the END"
    before = desk.stored_rows()
    transaction = desk.begin() if in_transaction else None
    refused = send(desk, (one, "a"), (ended, "x"), transaction=transaction)
    assert isinstance(refused, Refusal)
    assert refused.number == 8426
    if transaction is not None:
        desk.commit(transaction)
    assert desk.stored_rows() == before
    assert send(desk, (one, "a")).message_sequence_numbers == (0,)


@pytest.mark.parametrize(
    ("wrong", "number"),
    [
        (OutgoingMessage(uuid4(), b"x"), 8426),
        (OutgoingMessage(None, b"x", MessageTypeName("NoSuchType")), 8428),
    ],
)
def test_each_fault_has_the_number_of_its_send(desk, wrong, number):
    handle = desk.ask()
    wrong = OutgoingMessage(wrong.conversation_handle or handle, wrong.body, wrong.message_type)
    refused = desk.do(SendMany, messages=(OutgoingMessage(handle, b"a"), wrong))
    assert refused.number == number
    assert desk.read() == []


def test_too_many_are_refused_and_as_many_as_allowed_are_not(desk):
    handle = desk.ask()
    assert send(desk, *[(handle, "")] * (SEND_MESSAGES_MAX + 1)).number == 1204
    assert len(send(desk, *[(handle, "")] * 3).message_sequence_numbers) == 3
    assert desk.do(SendMany, messages=()).message_sequence_numbers == ()


def test_in_a_transaction_they_happen_at_its_commit_and_count_as_so_many_statements(desk):
    handle = desk.ask()
    transaction = desk.begin()
    assert send(desk, (handle, "a"), (handle, "b"), transaction=transaction).message_sequence_numbers == (0, 1)
    assert send(desk, (handle, "c"), transaction=transaction).message_sequence_numbers == (2,)
    assert desk.read() == []
    surplus = [(handle, "")] * (TRANSACTION_STATEMENTS_MAX - 2)
    assert send(desk, *surplus, transaction=transaction).number == 1204
    desk.commit(transaction)
    assert desk.read() == ["a", "b", "c"]


def test_a_conversation_group_that_another_session_holds_refuses_all_of_them(desk):
    handle, other = desk.ask(), desk.ask()
    session = desk.begin()
    send(desk, (handle, "a"), transaction=session)
    assert send(desk, (other, "x"), (handle, "b")).number == 1222
    assert send(desk, (other, "x")).message_sequence_numbers == (0,)


# ── RECEIVE over groups ──
def test_a_receive_may_go_on_with_the_next_groups_up_to_its_top(desk):
    for name in "abc":
        desk.ask(f"{name}1", f"{name}2")
    assert desk.read(top=5) == ["a1", "a2"]
    assert desk.read(top=3, many_groups=True) == ["b1", "b2", "c1"]
    assert desk.read(top=3, many_groups=True) == ["c2"]
    assert desk.read(top=3, many_groups=True) == []
    assert [event.count for event in desk.node.told(MessagesTaken)] == [2, 2, 1, 1]


def test_in_a_transaction_every_group_it_has_read_is_locked_and_a_rollback_brings_all_back(desk):
    for name in "ab":
        desk.ask(f"{name}1")
    session, other = desk.begin(), desk.begin()
    assert desk.read(session, many_groups=True) == ["a1", "b1"]
    desk.ask("c1")
    assert desk.read(other, many_groups=True) == ["c1"]
    desk.roll_back(session)
    assert desk.read(other, many_groups=True) == ["a1", "b1"]
    desk.commit(other)
    assert desk.stored_rows() == []


# ── what is remembered ──
def test_what_a_transaction_has_received_is_not_stored_again_and_its_redelivery_hears_the_same(desk):
    desk.ask("a")
    session = desk.begin()
    command = Receive(command_id=uuid4(), database="Ventes", queue="dbo.Guichet", transaction=session)
    [first] = desk.node.driver.process([command])
    assert isinstance(first, MessagesReceived)
    assert desk.node.store.reply_of(command.command_id) is None
    assert desk.node.driver.process([command]) == [first]
    commit = CommitTransaction(command_id=uuid4(), transaction=session)
    [ended] = desk.node.driver.process([commit])
    assert desk.node.store.reply_of(commit.command_id) == ended
    assert desk.node.driver.process([command]) == [first], "also after the end, as long as the process lives"
    assert desk.stored_rows() == []


def test_after_a_restart_a_statement_is_refused_for_want_of_its_transaction(desk):
    desk.ask("a")
    command = Receive(command_id=uuid4(), database="Ventes", queue="dbo.Guichet", transaction=desk.begin())
    desk.node.driver.process([command])
    desk.node.kill()
    desk.node.start()
    [after] = desk.node.driver.process([command])
    assert (type(after), after.number) == (Refusal, 3971)
    assert desk.read() == ["a"], "its transaction was rolled back"


def test_large_replies_of_transactions_leave_memory_the_oldest_first(desk, monkeypatch):
    monkeypatch.setattr("engine.runtime.open_replies.OPEN_REPLIES_BYTES_MAX", 3)
    desk.ask("aa", "bb")
    session = desk.begin()
    commands = [
        Receive(command_id=uuid4(), database="Ventes", queue="dbo.Guichet", transaction=session) for _ in range(2)
    ]
    [_, second] = desk.node.driver.process(commands)
    again = desk.node.driver.process(commands)
    assert again[1] == second
    assert again[0] == MessagesReceived(messages=()), "what was forgotten is carried out anew"


def test_a_wait_of_a_transaction_is_remembered_with_it_and_stored_nowhere(desk):
    client = desk.ask()
    session = desk.begin()
    command = Receive(
        command_id=uuid4(), database="Ventes", queue="dbo.Guichet", transaction=session, waitfor_milliseconds=-1
    )
    assert desk.node.driver.process([command]) == [None]
    desk.say(client, "a")
    [reply] = desk.node.driver.process([command])
    assert [row.message_body for row in reply.messages] == [b"a"]
    assert desk.node.store.reply_of(command.command_id) is None


def test_the_reply_of_a_statement_without_transaction_is_stored_as_ever(desk):
    handle = desk.ask()
    command = SendMany(command_id=uuid4(), database="Ventes", messages=messages((handle, "a")))
    [reply] = desk.node.driver.process([command])
    assert desk.node.store.reply_of(command.command_id) == reply
    assert desk.node.driver.process([command]) == [reply]
    assert desk.read() == ["a"]
