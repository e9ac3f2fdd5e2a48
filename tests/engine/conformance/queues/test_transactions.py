"""Transactions of a session and the locks they hold on conversation groups (protocol.md 10, 12; tsql.md 9)."""

from uuid import uuid4

import pytest

from engine.core.catalog.changes import DatabaseDropped, QueueCreated, ServiceAltered
from engine.core.catalog.objects import Queue
from engine.core.exchange.commands import (
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    EndConversation,
    GetConversationGroup,
    MoveConversation,
    Receive,
    Send,
)
from engine.core.exchange.events import MessagesTaken, TransactionRolledBack
from engine.core.exchange.replies import Refusal
from engine.core.vocabulary.limits import TRANSACTION_STATEMENTS_MAX, TRANSACTIONS_MAX


def group_of(desk, transaction=None):
    return desk.do(GetConversationGroup, queue="dbo.Guichet", transaction=transaction).conversation_group_id


# ── RECEIVE ──
def test_a_received_message_is_gone_only_when_its_transaction_commits(desk):
    """protocol.md 4: RECEIVE uncommitted, locked, gone on commit."""
    desk.ask("a", "b")
    session = desk.begin()
    assert desk.read(session, top=1) == ["a"]
    assert len(desk.stored_rows()) == 2
    assert desk.node.told(MessagesTaken) == []
    assert desk.commit(session).committed is True
    assert [row.message_body for row in desk.stored_rows()] == [b"b"]
    assert [event.count for event in desk.node.told(MessagesTaken)] == [1]


def test_a_rollback_puts_messages_back_in_front_of_those_behind_them(desk):
    """protocol.md 12: rollback restores everything."""
    desk.ask("a", "b", "c")
    session = desk.begin()
    assert desk.read(session, top=2) == ["a", "b"]
    assert desk.roll_back(session).committed is False
    assert desk.read() == ["a", "b", "c"]


def test_what_arrives_for_a_locked_group_is_enqueued_and_read_after_what_was_rolled_back(desk):
    """protocol.md 10: enqueue of arriving messages ignores group locks."""
    client = desk.ask("a")
    session = desk.begin()
    assert desk.read(session) == ["a"]
    desk.say(client, "b")
    assert desk.queue().ready == 2
    desk.roll_back(session)
    assert desk.read() == ["a", "b"]


def test_others_skip_a_locked_group_and_read_the_next_one(desk):
    """protocol.md 10: RECEIVE without WHERE skips groups locked by others."""
    desk.ask("first")
    desk.ask("second")
    one, other = desk.begin(), desk.begin()
    assert desk.read(one) == ["first"]
    assert desk.read(other) == ["second"]
    assert desk.read() == []
    desk.roll_back(one)
    assert desk.read() == ["first"]


@pytest.mark.parametrize("end", ["commit", "roll_back"])
def test_locks_last_until_the_transaction_ends_however_it_ends(desk, end):
    """protocol.md 10: the lock is exclusive, per group, held to the end of the transaction."""
    client = desk.ask("a", "b")
    session = desk.begin()
    [row] = desk.receive(session, top=1).messages
    refused = desk.receive(conversation_group_id=row.conversation_group_id)
    assert (refused.number, desk.read()) == (1222, [])
    getattr(desk, end)(session)
    desk.say(client, "c")
    assert desk.read()[-1] == "c"


def test_the_session_itself_reads_on_in_the_group_it_has_locked(desk):
    desk.ask("a", "b")
    session = desk.begin()
    assert (desk.read(session, top=1), desk.read(session, top=1), desk.read(session)) == (["a"], ["b"], [])


def test_a_statement_without_transaction_commits_at_once_and_locks_nothing(desk):
    desk.ask("a")
    desk.ask("b")
    assert desk.read() == ["a"]
    assert desk.read() == ["b"]


def test_one_transaction_may_lock_several_groups(desk):
    """protocol.md 10: one transaction may lock several groups."""
    desk.ask("a")
    desk.ask("b")
    session = desk.begin()
    assert (desk.read(session, top=1), desk.read(session, top=1)) == (["a"], ["b"])
    assert desk.read() == []
    desk.roll_back(session)
    assert (desk.read(), desk.read()) == (["a"], ["b"])


# ── SEND and END ──
def test_a_message_sent_in_a_transaction_is_invisible_until_the_commit(desk):
    """protocol.md 3.1: only committed SENDs count."""
    client = desk.ask()
    session = desk.begin()
    reply = desk.say(client, "a", transaction=session)
    assert reply.message_sequence_number == 0
    assert desk.read() == []
    desk.commit(session)
    assert desk.read() == ["a"]


def test_a_rollback_removes_the_message_and_gives_its_number_to_the_next(desk):
    """protocol.md 3.1: rollback removes message and number."""
    client = desk.ask()
    session = desk.begin()
    desk.say(client, "a", transaction=session)
    desk.roll_back(session)
    assert desk.say(client, "b").message_sequence_number == 0
    assert desk.read() == ["b"]


def test_numbers_run_on_inside_a_transaction(desk):
    client = desk.ask("a")
    session = desk.begin()
    numbers = [desk.say(client, body, transaction=session).message_sequence_number for body in "bc"]
    assert numbers == [1, 2]
    desk.commit(session)
    assert desk.read() == ["a", "b", "c"]


def test_a_dialog_begun_in_a_transaction_exists_for_others_from_the_commit_on(desk):
    session = desk.begin()
    handle = desk.ask(transaction=session)
    desk.say(handle, "a", transaction=session)
    assert desk.say(handle, "b").number == 8426
    assert desk.endpoint(handle) is None
    desk.commit(session)
    assert desk.endpoint(handle).state.value == "CO"
    assert desk.read() == ["a"]


def test_a_dialog_begun_in_a_transaction_that_is_rolled_back_has_never_been(desk):
    session = desk.begin()
    handle = desk.ask(transaction=session)
    desk.say(handle, "a", transaction=session)
    desk.roll_back(session)
    assert desk.endpoint(handle) is None
    assert desk.read() == []


def test_receive_answer_and_end_are_one(desk):
    """The usual reader: what it read, said and ended happens together or not at all."""
    client = desk.ask("question")
    for end in ("roll_back", "commit"):
        session = desk.begin()
        [row] = desk.receive(session).messages
        desk.say(row.conversation_handle, "answer", transaction=session)
        assert desk.end(row.conversation_handle, transaction=session).state.value == "DO"
        assert desk.endpoint(row.conversation_handle).state.value == "CO"
        assert desk.receive(queue="Client").messages == ()
        getattr(desk, end)(session)
    assert desk.read(queue="Client") == ["answer", ""]
    assert desk.endpoint(client).state.value == "DI"
    assert desk.read() == []


def test_after_end_the_session_itself_can_neither_send_nor_read(desk):
    """protocol.md 8.3: the handle of the side that ended is invalid immediately."""
    desk.ask("a", "b")
    session = desk.begin()
    [row] = desk.receive(session, top=1).messages
    desk.end(row.conversation_handle, transaction=session)
    assert desk.say(row.conversation_handle, "x", transaction=session).number == 8429
    assert desk.end(row.conversation_handle, transaction=session).number == 8427
    assert desk.read(session) == []


def test_an_end_that_overtakes_a_send_leaves_the_message_frozen(desk):
    """protocol.md 8.2 row 10: what the far side did not want to read any more waits with 9779."""
    client = desk.ask("a")
    session = desk.begin()
    desk.say(client, "late", transaction=session)
    [row] = desk.receive().messages
    desk.end(row.conversation_handle)
    desk.commit(session)
    assert desk.node.statuses("Ventes") == {9779}


# ── GET CONVERSATION GROUP ──
def test_get_conversation_group_locks_the_group_that_receive_would_read(desk):
    """protocol.md 10: the lock is taken by GET CONVERSATION GROUP; tsql.md 9.4: several per transaction."""
    desk.ask("a")
    desk.ask("b")
    session = desk.begin()
    first = group_of(desk, session)
    assert desk.receive(conversation_group_id=first).number == 1222
    assert desk.read(session, conversation_group_id=first) == ["a"]
    second = group_of(desk, session)
    assert second not in (first, None)
    assert group_of(desk) is None
    desk.roll_back(session)
    assert group_of(desk) == first


def test_get_conversation_group_of_an_empty_queue_is_null(desk):
    """tsql.md 9.4: the variable is NULL if there is none."""
    assert group_of(desk) is None


# ── MOVE CONVERSATION ──
def test_a_moved_conversation_is_received_with_its_new_group(desk):
    """tsql.md 9.4: MOVE CONVERSATION; its messages go along."""
    desk.ask("a")
    desk.ask("b")
    [first] = desk.node.instance.peek("Ventes", "dbo.Guichet", 1).messages
    second = desk.node.instance.peek("Ventes", "dbo.Guichet", 2).messages[1]
    moved = desk.do(
        MoveConversation,
        conversation_handle=second.conversation_handle,
        conversation_group_id=first.conversation_group_id,
    )
    assert moved.conversation_group_id == first.conversation_group_id
    desk.crash()
    assert desk.read() == ["a", "b"]


@pytest.mark.parametrize("end", ["commit", "roll_back"])
def test_a_move_in_a_transaction_holds_for_the_session_and_then_for_all_or_nobody(desk, end):
    """protocol.md 10: MOVE CONVERSATION locks both groups."""
    desk.ask("a")
    desk.ask("b")
    rows = desk.node.instance.peek("Ventes", "dbo.Guichet", 2).messages
    groups = [row.conversation_group_id for row in rows]
    session = desk.begin()
    fields = {"conversation_handle": rows[1].conversation_handle, "conversation_group_id": groups[0]}
    desk.do(MoveConversation, transaction=session, **fields)
    assert [desk.receive(conversation_group_id=group).number for group in groups] == [1222, 1222]
    seen = desk.read(session, conversation_group_id=groups[0])
    assert seen == ["a", "b"]
    getattr(desk, end)(session)
    if end == "commit":
        assert desk.endpoint(rows[1].conversation_handle).conversation_group_id == groups[0]
        assert desk.read() == []
    else:
        assert desk.endpoint(rows[1].conversation_handle).conversation_group_id == groups[1]
        assert (desk.read(), desk.read()) == (["a"], ["b"])


# ── ends that nobody asked for ──
def test_a_session_that_is_silent_is_rolled_back(desk):
    desk.ask("a")
    session = desk.begin()
    desk.read(session)
    desk.world.run(59)
    assert desk.read(session) == []
    desk.world.run(59)
    assert desk.node.told(TransactionRolledBack) == []
    desk.world.run(2)
    assert [event.has_timed_out for event in desk.node.told(TransactionRolledBack)] == [True]
    assert desk.commit(session).number == 3902
    assert desk.read() == ["a"]


def test_a_crash_rolls_back_what_is_open_and_keeps_what_was_committed(desk):
    client = desk.ask("a", "b")
    kept, lost = desk.begin(), desk.begin()
    desk.read(kept, top=1)
    desk.say(client, "c", transaction=kept)
    desk.commit(kept)
    desk.read(lost, top=1)
    desk.say(client, "never", transaction=lost)
    desk.crash()
    assert desk.commit(lost).number == 3902
    assert desk.roll_back(lost).number == 3903
    assert desk.receive(lost).number == 3971
    assert desk.read() == ["b", "c"]


def test_a_service_that_gets_another_queue_rolls_back_who_reads_its_conversations(desk):
    """tsql.md 3: messages go along with their service; nobody reads one twice."""
    desk.ask("a", "b")
    session = desk.begin()
    assert desk.read(session, top=1) == ["a"]
    desk.define(
        QueueCreated(database="Ventes", queue=Queue("dbo.Neu")),
        ServiceAltered(database="Ventes", name="Guichet", queue="dbo.Neu"),
    )
    assert desk.receive(session, queue="Neu").number == 3971
    assert (desk.read(), desk.read(queue="Neu")) == ([], ["a", "b"])


def test_a_database_that_is_dropped_takes_the_transactions_in_it_along(desk):
    desk.ask("a")
    session = desk.begin()
    desk.read(session)
    desk.define(DatabaseDropped(database="Ventes"))
    assert desk.commit(session).number == 3902


# ── refusals ──
REFUSED = {
    "send, unknown handle": (8426, Send, {"conversation_handle": uuid4()}),
    "end, unknown handle": (8426, EndConversation, {"conversation_handle": uuid4()}),
    "receive, unknown handle": (8426, Receive, {"queue": "dbo.Guichet", "conversation_handle": uuid4()}),
    "receive, unknown group": (8436, Receive, {"queue": "dbo.Guichet", "conversation_group_id": uuid4()}),
    "receive, nothing": (1060, Receive, {"queue": "dbo.Guichet", "top": 0}),
    "receive, unknown queue": (15151, Receive, {"queue": "dbo.Nirgends"}),
    "get group, unknown queue": (15151, GetConversationGroup, {"queue": "dbo.Nirgends"}),
    "move, unknown handle": (
        8426,
        MoveConversation,
        {"conversation_handle": uuid4(), "conversation_group_id": uuid4()},
    ),
    "timer, unknown handle": (8426, BeginConversationTimer, {"conversation_handle": uuid4(), "timeout_seconds": 1}),
    "begin, unknown service": (8423, BeginDialog, {"from_service": "Niemand", "to_service": "Guichet"}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_statement_has_its_number_and_its_transaction_goes_on(desk, case):
    """protocol.md 18.2: numbers of statement errors; a refused command changes nothing."""
    number, command, fields = REFUSED[case]
    client = desk.ask()
    session = desk.begin()
    desk.say(client, "a", transaction=session)
    refused = desk.do(command, transaction=session, **fields)
    assert isinstance(refused, Refusal)
    assert refused.number == number
    assert desk.do(command, transaction=uuid4(), **fields).number in (3971, number)
    desk.commit(session)
    assert desk.read() == ["a"]


def test_moving_needs_an_open_conversation_and_a_group_of_the_same_queue(desk):
    """tsql.md 9.4: 8436, 8438, 8439."""
    client = desk.ask("a")
    [row] = desk.receive().messages

    def move(handle, group):
        return desk.do(MoveConversation, conversation_handle=handle, conversation_group_id=group).number

    assert move(client, uuid4()) == 8436
    assert move(client, row.conversation_group_id) == 8439
    desk.end(row.conversation_handle)
    assert move(row.conversation_handle, row.conversation_group_id) in (8426, 8438)


@pytest.mark.parametrize("statement", ["send", "end", "timer", "move", "begin"])
def test_statements_on_a_group_that_another_session_has_locked_are_refused(desk, statement):
    """protocol.md 10: the lock is taken by BEGIN DIALOG, TIMER, END, MOVE and SEND too; 1222 instead of waiting."""
    desk.ask("a")
    [row] = desk.receive(desk.begin()).messages
    handle, group = row.conversation_handle, row.conversation_group_id
    replies = {
        "send": lambda: desk.say(handle, "x"),
        "end": lambda: desk.end(handle),
        "timer": lambda: desk.do(BeginConversationTimer, conversation_handle=handle, timeout_seconds=1),
        "move": lambda: desk.do(MoveConversation, conversation_handle=handle, conversation_group_id=group),
        "begin": lambda: desk.do(BeginDialog, from_service="Guichet", to_service="Client", conversation_group_id=group),
    }
    assert replies[statement]().number == 1222


def test_transactions_and_their_statements_have_a_bound(desk):
    client = desk.ask()
    first = desk.begin()
    for _ in range(TRANSACTIONS_MAX - 1):
        desk.begin()
    assert desk.node.do(BeginTransaction).number == 1204
    for _ in range(TRANSACTION_STATEMENTS_MAX):
        desk.node.instance.take(
            Send(command_id=uuid4(), database="Ventes", conversation_handle=client, body=b"x", transaction=first)
        )
    assert desk.say(client, "one too many", transaction=first).number == 1204
    assert desk.roll_back(first).committed is False
