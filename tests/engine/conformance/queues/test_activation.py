"""Activation: when readers are started, and when notifications are sent (protocol.md 17)."""

import pytest

from engine.core.catalog.changes import (
    ActivationPatch,
    BrokerSwitched,
    EventNotificationCreated,
    EventNotificationDropped,
    QueueAltered,
    QueueDropped,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.difference import diff
from engine.core.catalog.objects import EventNotification, QueueEvent
from engine.core.catalog.revision import apply_changes
from engine.core.exchange.commands import BeginTransaction, GetConversationGroup, SetQueueStatus
from engine.core.exchange.events import QueueActivation, QueueDisabled
from engine.core.exchange.readers import ReaderEnded
from engine.core.vocabulary.subclasses import ActivationSubclass

QUEUE = "dbo.Guichet"
EVENTS = "http://schemas.microsoft.com/SQL/Notifications/PostEventNotification"


def activation(**members):
    return QueueAltered(database="Ventes", name=QUEUE, activation=ActivationPatch(**members))


@pytest.fixture
def active(desk):
    desk.define(activation(procedure_name="dbo.lire", max_queue_readers=3, execute_as="SELF", is_enabled=True))
    return desk


def started(desk):
    return [reader.task for reader in desk.node.readers]


def ended(desk, task, **fields):
    desk.node.feed(ReaderEnded(task=task, **fields))


def state(desk):
    monitor = desk.queue().monitor
    return None if monitor is None else monitor.state


def told(desk, subclass):
    return [event for event in desk.node.told(QueueActivation) if event.subclass is subclass]


# ── internal: the states ──
def test_a_message_starts_one_reader_and_no_further_one_until_somebody_receives(active):
    """protocol.md 17.1: INACTIVE, message ready, launch, NOTIFIED; no further launch."""
    assert (state(active), started(active)) == ("INACTIVE", [])
    client = active.ask("a")
    [reader] = active.node.readers
    assert (reader.procedure_name, reader.queue, reader.execute_as) == ("dbo.lire", QUEUE, "SELF")
    active.say(client, "b")
    active.world.run(100)
    assert (state(active), started(active)) == ("NOTIFIED", [1])
    assert active.queue().monitor.active_tasks == 1


@pytest.mark.parametrize("how", ["receive", "get group", "with where"])
def test_any_sessions_receive_shows_that_readers_are_at_work(active, how):
    """protocol.md 17.1: NOTIFIED, any session's RECEIVE, RECEIVES_OCCURRING."""
    active.ask("a", "b")
    [row, _] = active.node.instance.peek("Ventes", QUEUE, 2).messages
    if how == "get group":
        active.do(GetConversationGroup, queue=QUEUE)
    else:
        where = {"conversation_handle": row.conversation_handle} if how == "with where" else {}
        active.receive(top=1, **where)
    assert state(active) == "RECEIVES_OCCURRING"


def test_a_drained_queue_is_inactive_and_its_next_message_starts_a_reader(active):
    """protocol.md 17.1: queue drained, INACTIVE."""
    active.ask("a")
    active.read()
    assert state(active) == "RECEIVES_OCCURRING"
    assert active.read() == []
    assert state(active) == "INACTIVE"
    ended(active, 1)
    active.ask("b")
    assert started(active) == [1, 2]


# ── internal: the start rule ──
def test_one_more_reader_per_five_seconds_up_to_the_maximum(active):
    """protocol.md 17.1 (b): unread messages, nobody came back empty: one more per 5 s up to MAX_QUEUE_READERS."""
    for number in range(20):
        active.ask(str(number))
    counts = []
    for _ in range(16):
        active.read(top=1)
        counts.append(len(started(active)))
        active.world.run(1)
    assert counts == [1] * 5 + [2] * 5 + [3] * 6
    assert active.queue().monitor.active_tasks == 3


def test_no_further_reader_for_five_seconds_after_a_receive_came_back_empty(active):
    """protocol.md 17.1 (b): no such statement returned empty for 5 s."""
    active.ask("a")
    holder = active.begin()
    active.read(holder)
    active.ask("b")
    other = active.begin()
    active.read(other)
    active.world.run(4)
    assert active.read() == []
    active.roll_back(holder)
    active.world.run(4.9)
    assert started(active) == [1]
    active.world.run(0.2)
    assert started(active) == [1, 2]


def test_a_rolled_back_receive_calls_for_a_reader_when_none_runs(active):
    """protocol.md 17.1: checks on rollback of a RECEIVE."""
    active.ask("a")
    session = active.begin()
    active.read(session)
    ended(active, 1)
    assert state(active) == "INACTIVE"
    active.roll_back(session)
    assert started(active) == [1, 2]


def test_when_the_last_reader_returns_and_leaves_messages_another_one_starts(active):
    """protocol.md 17.1: checks when the last procedure exited."""
    active.ask("a", "b")
    active.read(top=1)
    ended(active, 1)
    assert started(active) == [1, 2]
    assert [event.active_tasks for event in told(active, ActivationSubclass.ENDED)] == [0]


def test_a_reader_that_never_received_is_followed_by_none_until_activation_is_switched(active):
    """protocol.md 17.1 and 17.2: procedure not receiving: 28087, toggled OFF/ON."""
    active.ask("a")
    ended(active, 1)
    assert [event.number for event in told(active, ActivationSubclass.ABORTED)] == [28087]
    active.ask("b")
    active.world.run(60)
    assert started(active) == [1]
    active.define(activation(is_enabled=False))
    assert state(active) is None
    active.define(activation(is_enabled=True))
    assert started(active) == [1, 2]


@pytest.mark.parametrize("number", [8415, 28088])
def test_an_aborted_reader_is_told_with_its_number(active, number):
    """protocol.md 17.2: aborts."""
    active.ask("a")
    active.read()
    ended(active, 1, number=number, detail="ValueError")
    [event] = told(active, ActivationSubclass.ABORTED)
    assert (event.number, event.procedure_name, event.queue) == (number, "dbo.lire", QUEUE)
    assert event.text


def test_after_an_aborted_reader_the_next_one_waits_five_seconds(active):
    """protocol.md 17.1: one reader per 5 s; else a reader that always fails would be started without end."""
    active.define(QueueAltered(database="Ventes", name=QUEUE, is_poison_message_handling_enabled=False))
    active.ask("poison")
    for task in range(1, 11):
        session = active.begin()
        active.receive(session)
        active.roll_back(session)
        ended(active, task, number=28088)
        assert started(active) == [*range(1, task + 1)]
        active.world.run(5)
    assert started(active) == [*range(1, 12)]


def test_a_reader_that_leaves_its_transaction_open_is_aborted_and_rolled_back(active):
    """protocol.md 17.2: 8415 open transaction; however silent it was, it was not rolled back while it ran."""
    active.ask("a")
    session = active.node.do(BeginTransaction, task=1).transaction
    active.receive(session)
    active.world.run(600)
    assert active.read() == []
    ended(active, 1)
    assert [event.number for event in told(active, ActivationSubclass.ABORTED)] == [8415]
    assert active.commit(session).number == 3902
    assert active.read() == ["a"]


def test_a_session_that_is_no_reader_has_no_reader_to_live_with(active):
    active.ask("a")
    session = active.node.do(BeginTransaction, task=77).transaction
    active.receive(session)
    active.world.run(61)
    assert active.commit(session).number == 3902


# ── internal: when there is a monitor ──
def test_switching_activation_on_with_messages_waiting_starts_at_once(active):
    """tsql.md 2: OFF to ON with messages waiting starts at once; ON to OFF leaves running ones."""
    active.define(activation(is_enabled=False))
    active.ask("a")
    assert started(active) == []
    active.define(activation(is_enabled=True))
    assert started(active) == [1]
    active.define(activation(is_enabled=False))
    ended(active, 1)
    assert [event.number for event in told(active, ActivationSubclass.ABORTED)] == [28086]


def test_a_queue_that_is_off_has_no_monitor_and_gets_a_reader_when_it_comes_on(active):
    """protocol.md 14: while OFF activation stops; 17.1: a monitor exists only if the queue is enabled."""
    active.do(SetQueueStatus, queue=QUEUE, is_enabled=False)
    active.ask("a")
    active.world.run(10)
    assert (state(active), started(active)) == (None, [])
    active.do(SetQueueStatus, queue=QUEUE, is_enabled=True)
    assert started(active) == [1]


def test_no_monitor_while_the_databases_broker_is_off(active):
    """protocol.md 17.1: a monitor exists only if the database broker is enabled."""
    active.define(BrokerSwitched(database="Ventes", is_enabled=False))
    assert state(active) is None
    active.define(BrokerSwitched(database="Ventes", is_enabled=True))
    assert state(active) == "INACTIVE"


def test_no_readers_at_all_with_a_maximum_of_zero(active):
    """tsql.md 2: MAX_QUEUE_READERS 0."""
    active.define(activation(max_queue_readers=0))
    active.ask("a")
    assert (state(active), started(active)) == (None, [])
    active.define(activation(max_queue_readers=1))
    assert started(active) == [1]


def test_a_dropped_queue_takes_its_monitor_along_and_its_reader_ends_aborted(active):
    """protocol.md 17.2: 28085 queue dropped."""
    active.ask("a")
    active.define(ServiceDropped(database="Ventes", name="Guichet"), QueueDropped(database="Ventes", name=QUEUE))
    ended(active, 1)
    assert [event.number for event in told(active, ActivationSubclass.ABORTED)] == [28085]
    ended(active, 1)
    assert len(told(active, ActivationSubclass.ABORTED)) == 1


def test_after_a_crash_what_waits_is_read_by_new_readers(active):
    active.ask("a")
    active.crash()
    assert len(active.node.readers) == 2
    assert state(active) == "NOTIFIED"


def test_a_timer_starts_a_reader_too(active):
    """protocol.md 16: can be used to trigger activation."""
    from engine.core.exchange.commands import BeginConversationTimer

    active.ask("a")
    [row] = active.receive().messages
    active.read()
    ended(active, 1)
    active.do(BeginConversationTimer, conversation_handle=row.conversation_handle, timeout_seconds=30)
    active.world.run(31)
    assert started(active) == [1, 2]


# ── by event ──
def notification(*events, name="n", to="Client", queue=QUEUE):
    made = EventNotification(name, queue, events or (QueueEvent.QUEUE_ACTIVATION,), to)
    return EventNotificationCreated(database="Ventes", notification=made)


@pytest.fixture
def notified(desk):
    """The service Client hears of the queue of Guichet."""
    desk.define(ServiceAltered(database="Ventes", name="Client", adds=(EVENTS,)), notification())
    return desk


def documents(desk):
    rows = desk.receive(queue="Client").messages
    return [row.message_body.decode("utf-16") for row in rows if row.message_type_name.endswith("EventNotification")]


def test_a_message_is_notified_once_until_somebody_receives(notified):
    """protocol.md 17.3: one message to a service instead of launching; next only after a RECEIVE and a new need."""
    notified.ask("a")
    notified.ask("b")
    [document] = documents(notified)
    assert "<EventType>QUEUE_ACTIVATION</EventType>" in document
    assert "<DatabaseName>Ventes</DatabaseName><SchemaName>dbo</SchemaName><ObjectName>Guichet</ObjectName>" in document
    assert notified.node.readers == []
    notified.world.run(60)
    assert documents(notified) == []
    assert notified.read() == ["a"]
    assert len(documents(notified)) == 1
    assert notified.read() == ["b"]
    assert notified.read() == []
    assert documents(notified) == []
    notified.ask("c")
    assert len(documents(notified)) == 1
    assert len(told(notified, ActivationSubclass.NOTIFIED)) == 3


def test_notifications_use_one_conversation(notified):
    for body in "abc":
        notified.ask(body)
        notified.read()
        notified.read()
    rows = notified.receive(queue="Client").messages
    assert len({row.conversation_handle for row in rows}) == 1
    assert [row.message_sequence_number for row in rows] == [0, 1, 2]


@pytest.mark.parametrize("how", ["end", "error"])
def test_a_broken_conversation_drops_the_notification(notified, how):
    """tsql.md 11: broken conversation, notification dropped."""
    notified.ask("a")
    [row] = notified.receive(queue="Client").messages
    error = {"error_code": 1, "error_description": "genug"} if how == "error" else {}
    notified.end(row.conversation_handle, **error)
    assert notified.node.instance.catalog.databases["Ventes"].event_notifications == {}
    assert state(notified) is None
    notified.crash()
    assert state(notified) is None


def test_a_queue_that_poison_switches_off_is_notified(desk):
    """protocol.md 14: event notification BROKER_QUEUE_DISABLED."""
    desk.define(
        ServiceAltered(database="Ventes", name="Client", adds=(EVENTS,)),
        notification(QueueEvent.BROKER_QUEUE_DISABLED),
    )
    assert state(desk) is None
    desk.ask("poison")
    for _ in range(5):
        session = desk.begin()
        desk.receive(session)
        desk.roll_back(session)
    assert len(desk.node.told(QueueDisabled)) == 1
    [document] = documents(desk)
    assert "<EventType>BROKER_QUEUE_DISABLED</EventType>" in document


REFUSED = {
    "beside internal activation": (9718, notification(name="m", queue="dbo.Client")),
    "no such queue": (15151, notification(name="m", queue="dbo.Nirgends")),
    "twice": (2714, notification(name="N")),
    "to nobody": (8412, notification(name="m", to="")),
    "no such notification": (15151, EventNotificationDropped(database="Ventes", name="m")),
    "internal activation beside it": (
        9717,
        activation(procedure_name="dbo.lire", max_queue_readers=1, execute_as="SELF", is_enabled=True),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_internal_and_by_event_exclude_each_other_and_what_is_refused_changes_nothing(notified, case):
    """protocol.md 17.3: mutually exclusive (9717, 9718); tsql.md 11."""
    members = ActivationPatch(procedure_name="dbo.lire", max_queue_readers=1, execute_as="SELF")
    notified.define(QueueAltered(database="Ventes", name="dbo.Client", activation=members))
    before = notified.node.instance.catalog
    number, change = REFUSED[case]
    assert notified.define(change).number == number
    assert notified.node.instance.catalog == before


def test_a_queue_takes_its_notifications_along_and_differences_are_mended(notified):
    before = notified.node.instance.catalog
    bare = [EventNotificationDropped(database="Ventes", name="N")]
    other = [*bare, notification(QueueEvent.BROKER_QUEUE_DISABLED, name="o")]
    for changes in (bare, other):
        after = apply_changes(before, changes)
        for one, wanted in ((before, after), (after, before)):
            assert apply_changes(one, diff(one, wanted)).databases == wanted.databases
    notified.define(ServiceDropped(database="Ventes", name="Guichet"), QueueDropped(database="Ventes", name=QUEUE))
    assert notified.node.instance.catalog.databases["Ventes"].event_notifications == {}
