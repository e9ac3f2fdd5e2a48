"""WAITFOR (RECEIVE …) and WAITFOR (GET CONVERSATION GROUP …) (protocol.md 12, 17.1; views.md, queue monitors)."""

from uuid import uuid4

import pytest

from engine.core.catalog.changes import (
    DatabaseDropped,
    QueueAltered,
    QueueDropped,
    RouteCreated,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.objects import Activation
from engine.core.exchange.commands import (
    WAIT_FOR_EVER,
    GetConversationGroup,
    MoveConversation,
    Receive,
    Send,
    SetQueueStatus,
)
from engine.core.exchange.inputs import WaitCancelled
from engine.core.exchange.replies import ConversationGroupFound, MessagesReceived, Refusal
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.handlers import receiving
from engine.core.vocabulary.limits import WAITERS_MAX, WAITFOR_MILLISECONDS_MAX
from engine.core.vocabulary.settings import EngineSettings
from tests.support.world import route

DATABASE = "Ventes"
QUEUE = "dbo.Guichet"


class Wait:
    """A session that waits at the counter of a desk."""

    def __init__(self, desk, command=Receive, waitfor_milliseconds=WAIT_FOR_EVER, **fields):
        self.desk = desk
        self.id = desk.node.wait(
            command, database=DATABASE, queue=QUEUE, waitfor_milliseconds=waitfor_milliseconds, **fields
        )

    @property
    def reply(self):
        return self.desk.node.late.get(self.id)

    @property
    def read(self):
        return None if self.reply is None else [row.message_body.decode() for row in self.reply.messages]


def target(desk, client):
    """The handle at the counter of a dialog."""
    conversation = desk.endpoint(client).conversation_id
    rows = desk.node.view(DATABASE).conversation_endpoints
    return next(row for row in rows if row.conversation_id == conversation and not row.is_initiator)


def tasks_waiting(desk):
    query = SystemViewQuery(database=DATABASE, view="sys.dm_broker_queue_monitors", columns=("tasks_waiting",))
    return [row[0] for row in desk.node.instance.system_view(query).rows]


def activate(desk, readers=1):
    desk.define(QueueAltered(database=DATABASE, name=QUEUE, activation=Activation("dbo.lire", readers, "SELF")))


# ── what ends a wait ──
def test_a_message_that_is_there_is_handed_out_at_once(desk):
    desk.ask("a")
    assert desk.read(waitfor_milliseconds=WAIT_FOR_EVER) == ["a"]


def test_who_waits_is_handed_the_first_message_that_comes_in_the_commit_that_brings_it(desk):
    wait = Wait(desk, top=10)
    assert wait.reply is None
    desk.ask("a")
    assert wait.read == ["a"]
    assert desk.stored_rows() == []


def test_what_the_network_brings_ends_a_wait_too(desk):
    world = desk.world
    berlin = world.instance("BERLIN", world.database("Compta", ["Livre"], route("Client", "paris")))
    desk.define(RouteCreated(database=DATABASE, route=route("Livre", "berlin")))
    wait = berlin.wait(Receive, database="Compta", queue="dbo.Livre", waitfor_milliseconds=WAIT_FOR_EVER)
    desk.say(desk.node.begin(DATABASE, "Client", "Livre"), "a")
    world.run(5)
    assert [row.message_body for row in berlin.late[wait].messages] == [b"a"]


@pytest.mark.parametrize("milliseconds", [1, 1500])
def test_when_the_time_is_over_the_set_is_empty(desk, milliseconds):
    wait = Wait(desk, waitfor_milliseconds=milliseconds)
    desk.world.run(milliseconds / 1000 - 0.0005)
    assert wait.reply is None
    desk.world.run(0.001)
    assert wait.reply == MessagesReceived(messages=())
    desk.ask("a")
    assert desk.read() == ["a"]


def test_get_conversation_group_waits_for_a_group(desk):
    wait, late = Wait(desk, GetConversationGroup), Wait(desk, GetConversationGroup, waitfor_milliseconds=10)
    desk.world.run(1)
    assert late.reply == ConversationGroupFound(conversation_group_id=None)
    client = desk.ask("a")
    assert wait.reply.conversation_group_id == target(desk, client).conversation_group_id
    assert desk.read() == ["a"]


def test_time_out_0_does_not_wait(desk):
    assert desk.receive(waitfor_milliseconds=0) == MessagesReceived(messages=())


@pytest.mark.parametrize("milliseconds", [-2, WAITFOR_MILLISECONDS_MAX + 1])
@pytest.mark.parametrize("command", [Receive, GetConversationGroup])
def test_a_time_out_that_is_none_is_refused_with_153(desk, command, milliseconds):
    desk.ask("a")
    refusal = desk.do(command, queue=QUEUE, waitfor_milliseconds=milliseconds)
    assert refusal.number == 153
    assert desk.read() == ["a"]


def test_who_gives_up_is_answered_with_the_empty_set_and_leaves_no_trace(desk):
    activate(desk)
    wait = Wait(desk)
    assert tasks_waiting(desk) == [1]
    desk.node.feed(WaitCancelled(wait.id))
    assert wait.reply == MessagesReceived(messages=())
    assert tasks_waiting(desk) == [0]
    desk.node.feed(WaitCancelled(wait.id))
    desk.define(QueueAltered(database=DATABASE, name=QUEUE, activation=Activation("dbo.lire", 0, "SELF")))
    desk.ask("a")
    assert desk.read() == ["a"]


def test_a_wait_that_is_asked_for_twice_is_one_and_its_reply_is_remembered(desk):
    wait = Wait(desk)
    again = Receive(command_id=wait.id, database=DATABASE, queue=QUEUE, waitfor_milliseconds=WAIT_FOR_EVER)
    assert desk.node.feed(again) is None
    desk.ask("a")
    assert wait.read == ["a"]
    assert desk.node.feed(again) == wait.reply


# ── first come, first served ──
def test_who_came_first_is_served_first_and_the_others_wait_on(desk):
    waits = [Wait(desk) for _ in range(3)]
    desk.ask("a")
    assert [wait.read for wait in waits] == [["a"], None, None]
    desk.ask("b")
    assert [wait.read for wait in waits] == [["a"], ["b"], None]


def test_who_does_not_wait_does_not_pass_those_who_do(desk):
    wait = Wait(desk)
    client = desk.ask()
    send = Send(command_id=uuid4(), database=DATABASE, conversation_handle=client, body=b"a")
    _, reply = desk.node.driver.process([send, Receive(command_id=uuid4(), database=DATABASE, queue=QUEUE)])
    assert reply == MessagesReceived(messages=())
    assert wait.read == ["a"]


def test_a_conversation_is_waited_for_whatever_else_comes(desk):
    first, second = desk.ask("a"), desk.ask("b")
    handle = target(desk, second).conversation_handle
    assert desk.read(conversation_handle=handle) == ["b"]
    wait = Wait(desk, conversation_handle=handle)
    desk.say(first, "c")
    assert wait.reply is None
    desk.say(second, "d")
    assert wait.read == ["d"]


def test_a_group_is_waited_for_also_when_a_conversation_moves_into_it(desk):
    first, second = desk.ask("a"), desk.ask("b")
    ours, theirs = target(desk, first), target(desk, second)
    assert desk.read(conversation_handle=ours.conversation_handle) == ["a"]
    wait = Wait(desk, conversation_group_id=ours.conversation_group_id)
    desk.do(
        MoveConversation,
        conversation_handle=theirs.conversation_handle,
        conversation_group_id=ours.conversation_group_id,
    )
    assert wait.read == ["b"]


# ── locks and transactions ──
def test_in_a_transaction_the_group_is_locked_and_the_message_goes_with_the_commit(desk):
    session = desk.begin()
    wait = Wait(desk, transaction=session)
    desk.ask("a")
    assert wait.read == ["a"]
    assert desk.read() == []
    desk.roll_back(session)
    assert desk.read() == ["a"]


@pytest.mark.parametrize("ends", ["commit", "roll_back"])
def test_messages_of_a_locked_group_are_waited_for_until_the_lock_is_gone(desk, ends):
    client = desk.ask("a")
    session = desk.begin()
    assert desk.read(session) == ["a"]
    wait = Wait(desk)
    desk.say(client, "b")
    assert wait.reply is None
    getattr(desk, ends)(session)
    assert wait.read == (["b"] if ends == "commit" else ["a"])


def test_a_locked_conversation_is_waited_for_instead_of_being_refused(desk):
    client = desk.ask("a", "b")
    handle = target(desk, client).conversation_handle
    session = desk.begin()
    assert desk.read(session, top=1) == ["a"]
    assert desk.receive(conversation_handle=handle).number == 1222
    wait = Wait(desk, conversation_handle=handle)
    desk.commit(session)
    assert wait.read == ["b"]


def test_a_session_that_waits_is_alive_however_silent(desk):
    session = desk.begin()
    wait = Wait(desk, transaction=session, waitfor_milliseconds=600_000)
    desk.world.run(599)
    assert wait.reply is None
    desk.world.run(2)
    assert wait.reply == MessagesReceived(messages=())
    desk.world.run(EngineSettings().transaction_idle_seconds - 10)
    assert desk.commit(session).committed is True


def test_who_waits_in_a_transaction_that_ends_is_told_so(desk):
    session = desk.begin()
    wait = Wait(desk, transaction=session)
    desk.roll_back(session)
    assert wait.reply.number == 3971


# ── what is waited for goes away ──
def refused(desk, wait):
    assert isinstance(wait.reply, Refusal)
    return wait.reply.number


def test_a_queue_that_is_switched_off_answers_at_once(desk):
    waits = [Wait(desk), Wait(desk, GetConversationGroup)]
    desk.do(SetQueueStatus, queue=QUEUE, is_enabled=False)
    assert [refused(desk, wait) for wait in waits] == [9617, 9617]


def test_a_queue_that_is_dropped_answers_at_once(desk):
    wait = Wait(desk)
    desk.define(ServiceDropped(database=DATABASE, name="Guichet"), QueueDropped(database=DATABASE, name=QUEUE))
    assert refused(desk, wait) == 15151


def test_a_database_that_is_dropped_answers_at_once(desk):
    wait = Wait(desk)
    desk.define(DatabaseDropped(database=DATABASE))
    assert refused(desk, wait) == 911


def test_what_is_dropped_under_a_transaction_that_holds_a_lock_answers_who_waits(desk):
    client = desk.ask("a")
    session = desk.begin()
    assert desk.read(session) == ["a"]
    desk.say(client, "b")
    assert desk.read(session) == ["b"]
    waits = [Wait(desk), Wait(desk, transaction=session)]
    desk.define(DatabaseDropped(database=DATABASE))
    assert [refused(desk, wait) for wait in waits] == [911, 911]


def test_a_service_that_gets_another_queue_takes_its_messages_to_who_waits_there(desk):
    client = desk.ask("a")
    session = desk.begin()
    assert desk.read(session) == ["a"]
    here = Wait(desk)
    there = desk.node.wait(Receive, database=DATABASE, queue="dbo.Client", waitfor_milliseconds=WAIT_FOR_EVER)
    desk.define(ServiceAltered(database=DATABASE, name="Guichet", queue="dbo.Client"))
    # The lock went with the transaction before the messages went with the service.
    assert desk.endpoint(client) is not None
    taken = [wait for wait in (here.id, there) if wait in desk.node.late]
    assert [[row.message_body for row in desk.node.late[wait].messages] for wait in taken] == [[b"a"]]


def test_a_conversation_that_ends_answers_who_waits_for_it_or_for_its_group(desk):
    client = desk.ask("a")
    row = target(desk, client)
    assert desk.read() == ["a"]
    waits = [
        Wait(desk, conversation_handle=row.conversation_handle),
        Wait(desk, conversation_group_id=row.conversation_group_id),
    ]
    unfiltered = Wait(desk)
    desk.end(row.conversation_handle, with_cleanup=True)
    assert [refused(desk, wait) for wait in waits] == [8426, 8436]
    assert unfiltered.reply is None


def test_another_change_of_the_catalog_disturbs_nobody(desk):
    wait = Wait(desk)
    activate(desk)
    assert wait.reply is None
    desk.ask("a")
    assert wait.read == ["a"]


# ── bounds and costs ──
def test_one_waiter_too_many_is_refused_with_1204_and_there_is_room_again_later(desk):
    waits = [Wait(desk) for _ in range(WAITERS_MAX)]
    assert desk.receive(waitfor_milliseconds=WAIT_FOR_EVER).number == 1204
    desk.ask("a")
    assert waits[0].read == ["a"]
    assert Wait(desk).reply is None


def test_idle_waiters_cost_no_wake_up(desk):
    desk.world.run(1)
    before = desk.node.wakes
    desk.world.run(3600)
    without = desk.node.wakes - before
    for _ in range(100):
        Wait(desk)
        Wait(desk, waitfor_milliseconds=4_000_000)
    before = desk.node.wakes
    desk.world.run(3600)
    assert desk.node.wakes - before == without


@pytest.mark.interpreted
def test_a_message_is_offered_to_nobody_but_who_gets_it(desk, monkeypatch):
    other = desk.ask("z")
    handle = target(desk, other).conversation_handle
    assert desk.read() == ["z"]
    tried = []
    waits = [Wait(desk) for _ in range(50)] + [Wait(desk, conversation_handle=handle)]
    real = receiving.receive
    monkeypatch.setattr(receiving, "receive", lambda broker, command: tried.append(command) or real(broker, command))
    desk.ask("a")
    assert [command.command_id for command in tried] == [waits[0].id]
    desk.say(other, "b")
    assert [wait.read for wait in waits] == [["a"], ["b"], *[None] * 49]


# ── activation ──
def test_who_waits_is_counted_whoever_started_him(desk):
    activate(desk)
    assert tasks_waiting(desk) == [0]
    waits = [Wait(desk), Wait(desk, GetConversationGroup), Wait(desk, waitfor_milliseconds=1000)]
    assert tasks_waiting(desk) == [3]
    desk.world.run(2)
    assert tasks_waiting(desk) == [2]
    desk.ask("a")
    assert waits[0].read == ["a"]
    assert tasks_waiting(desk) == [1]


def test_no_reader_is_started_while_somebody_waits(desk):
    """protocol.md 17.1 b."""
    activate(desk, readers=5)
    Wait(desk)
    desk.ask("a")
    desk.world.run(60)
    assert desk.node.readers == []
    desk.ask("b")
    assert [reader.procedure_name for reader in desk.node.readers] == ["dbo.lire"]


def test_a_waiter_that_may_not_have_a_message_keeps_readers_away_until_it_leaves(desk):
    client = desk.ask("a")
    session = desk.begin()
    assert desk.read(session) == ["a"]
    wait = Wait(desk, waitfor_milliseconds=30_000)
    activate(desk)
    desk.say(client, "b")
    desk.world.run(20)
    assert desk.node.readers == []
    desk.world.run(20)
    assert wait.read == []
    assert len(desk.node.readers) == 1


def test_a_crash_forgets_who_waited(desk):
    activate(desk)
    Wait(desk)
    desk.crash()
    assert tasks_waiting(desk) == [0]
    client = desk.ask("a")
    assert desk.endpoint(client) is not None
    assert desk.read() == ["a"]
    assert desk.node.late == {}
