"""Poison messages: five rollbacks in a row switch the queue off (protocol.md 14)."""

import pytest

from engine.core.catalog.changes import QueueAltered
from engine.core.exchange.commands import SetQueueStatus
from engine.core.exchange.events import QueueDisabled, QueueSwitched
from tests.engine.conformance.queues.conftest import DATABASE

QUEUE = "dbo.Guichet"


def fail(desk, times=1):
    for _ in range(times):
        session = desk.begin()
        assert desk.receive(session).messages
        desk.roll_back(session)


def test_the_fifth_rollback_in_a_row_switches_the_queue_off_and_says_so(desk):
    """protocol.md 14: STATUS OFF and event Broker:Queue Disabled."""
    desk.ask("poison")
    fail(desk, 4)
    assert desk.queue().is_enabled
    fail(desk)
    assert not desk.queue().is_enabled
    assert [(event.queue, event.rollbacks) for event in desk.node.told(QueueDisabled)] == [(QUEUE, 5)]
    assert [event.is_enabled for event in desk.node.told(QueueSwitched)] == [False]
    assert desk.receive().number == 9617
    desk.crash()
    assert not desk.queue().is_enabled


def test_what_switched_the_queue_off_is_shown_until_it_is_switched_again(desk):
    """protocol.md 14: which conversation, and how often."""
    client = desk.ask("poison")
    assert desk.queue().poison is None
    fail(desk, 5)
    cause = desk.queue().poison
    assert (cause.rollbacks, cause.message_sequence_number, cause.message_type_name) == (5, 0, "DEFAULT")
    target = next(row for row in desk.node.view(DATABASE).conversation_endpoints if not row.is_initiator)
    assert cause.conversation_handle == target.conversation_handle != client
    desk.do(SetQueueStatus, queue=QUEUE, is_enabled=True)
    assert desk.queue().poison is None


def test_a_queue_that_a_person_switched_off_has_no_such_cause(desk):
    desk.do(SetQueueStatus, queue=QUEUE, is_enabled=False)
    assert not desk.queue().is_enabled
    assert desk.queue().poison is None


@pytest.mark.parametrize("how", ["in a transaction", "at once"])
def test_a_committed_receive_breaks_the_row(desk, how):
    """protocol.md 14: any commit of a RECEIVE resets the count."""
    client = desk.ask("poison")
    fail(desk, 4)
    session = desk.begin() if how == "in a transaction" else None
    desk.receive(session)
    if session is not None:
        desk.commit(session)
    desk.say(client, "again")
    fail(desk, 4)
    assert desk.queue().is_enabled
    fail(desk)
    assert not desk.queue().is_enabled


def test_switching_the_queue_on_starts_the_count_anew(desk):
    """protocol.md 14: manual STATUS = ON restarts at 0."""
    desk.ask("poison")
    fail(desk, 5)
    desk.do(SetQueueStatus, queue=QUEUE, is_enabled=True)
    fail(desk, 4)
    assert desk.queue().is_enabled
    fail(desk)
    assert not desk.queue().is_enabled


def test_a_rollback_that_received_nothing_does_not_count(desk):
    """protocol.md 14: transactions containing a RECEIVE."""
    client = desk.ask("a")
    for _ in range(6):
        session = desk.begin()
        desk.say(client, "x", transaction=session)
        desk.roll_back(session)
    assert desk.queue().is_enabled
    assert desk.queue("Client").is_enabled


def test_each_queue_has_its_own_count_and_one_transaction_counts_once_for_each(desk):
    client = desk.ask("a", "b")
    [row, _] = desk.receive().messages
    desk.say(row.conversation_handle, "answer")
    desk.say(client, "c")
    for _ in range(5):
        session = desk.begin()
        desk.receive(session, top=1)
        desk.receive(session, queue="Client")
        assert desk.queue().is_enabled
        assert desk.queue("Client").is_enabled
        desk.roll_back(session)
    assert not desk.queue().is_enabled
    assert not desk.queue("Client").is_enabled


def test_a_session_that_went_silent_counts_as_a_rollback(desk):
    desk.ask("poison")
    for _ in range(5):
        desk.receive(desk.begin())
        desk.world.run(61)
    assert not desk.queue().is_enabled


def test_with_poison_message_handling_off_the_queue_stays_on(desk):
    """protocol.md 14: POISON_MESSAGE_HANDLING (STATUS = OFF): not disabled automatically."""
    desk.define(QueueAltered(database="Ventes", name=QUEUE, is_poison_message_handling_enabled=False))
    desk.ask("poison")
    fail(desk, 12)
    assert desk.queue().is_enabled
    assert desk.read() == ["poison"]
