"""BEGIN CONVERSATION TIMER (protocol.md 16; tsql.md 9.4)."""

import pytest

from engine.core.exchange.commands import BeginConversationTimer
from engine.core.exchange.events import ConversationTimerFired

TIMER = "http://schemas.microsoft.com/SQL/ServiceBroker/DialogTimer"


def set_timer(desk, handle, seconds, **fields):
    return desk.do(BeginConversationTimer, conversation_handle=handle, timeout_seconds=seconds, **fields)


def fired(desk, queue="Client"):
    return [row.message_type_name for row in desk.receive(queue=queue).messages].count(TIMER)


def test_a_timer_fires_once_into_the_local_queue_only(desk):
    """protocol.md 16: fires a DialogTimer message into the local queue only."""
    client = desk.ask("a")
    reply = set_timer(desk, client, 30)
    assert desk.endpoint(client).dialog_timer == reply.dialog_timer == desk.world.now().utc + 30
    desk.world.run(29.9)
    assert fired(desk) == 0
    desk.world.run(0.2)
    assert (fired(desk), fired(desk, "Guichet")) == (1, 0)
    assert desk.endpoint(client).dialog_timer < 0
    desk.world.run(1000)
    assert fired(desk) == 0
    assert [event.conversation_handle for event in desk.node.told(ConversationTimerFired)] == [client]


def test_setting_again_replaces(desk):
    """protocol.md 16: one timer per endpoint; setting again replaces it."""
    client = desk.ask()
    set_timer(desk, client, 10)
    set_timer(desk, client, 50)
    desk.world.run(49)
    assert fired(desk) == 0
    set_timer(desk, client, 5)
    desk.world.run(6)
    assert fired(desk) == 1


def test_both_sides_have_timers_of_their_own(desk):
    """protocol.md 16: independent per side."""
    client = desk.ask("a")
    [row] = desk.receive().messages
    set_timer(desk, client, 10)
    set_timer(desk, row.conversation_handle, 20)
    desk.world.run(11)
    assert (fired(desk), fired(desk, "Guichet")) == (1, 0)
    desk.world.run(10)
    assert (fired(desk), fired(desk, "Guichet")) == (0, 1)


@pytest.mark.parametrize("away", [0, 50])
def test_a_timer_survives_a_restart_and_fires_late_rather_than_never(desk, away):
    """protocol.md 16: survives restart."""
    client = desk.ask()
    set_timer(desk, client, 30)
    desk.node.kill()
    desk.world.run(away)
    desk.node.start()
    assert fired(desk) == (1 if away else 0)
    desk.world.run(31)
    assert fired(desk) == (0 if away else 1)


def test_a_timer_far_beyond_the_planning_horizon_fires(desk):
    client = desk.ask()
    set_timer(desk, client, 100_000)
    desk.world.run(99_990)
    assert fired(desk) == 0
    desk.world.run(11)
    assert fired(desk) == 1


def test_a_dialog_timer_is_read_before_the_messages_of_its_conversation(desk):
    """protocol.md 12: inside a conversation the DialogTimer message first."""
    client = desk.ask("a")
    [row] = desk.receive().messages
    desk.say(client, "b")
    set_timer(desk, row.conversation_handle, 1)
    desk.world.run(2)
    assert [each.message_type_name for each in desk.receive().messages] == [TIMER, "DEFAULT"]


@pytest.mark.parametrize(("end", "count"), [("commit", 1), ("roll_back", 0)])
def test_a_timer_is_transactional_and_counts_from_its_statement(desk, end, count):
    """protocol.md 16: transactional."""
    client = desk.ask()
    session = desk.begin()
    set_timer(desk, client, 10, transaction=session)
    desk.world.run(8)
    assert desk.endpoint(client).dialog_timer < 0
    getattr(desk, end)(session)
    desk.world.run(3)
    assert fired(desk) == count


def test_end_clears_the_timer_and_none_can_be_set_after_it(desk):
    """protocol.md 16: not after END (8458)."""
    desk.ask("a")
    [row] = desk.receive().messages
    handle = row.conversation_handle
    set_timer(desk, handle, 10)
    desk.end(handle)
    assert desk.endpoint(handle).state.value == "CD"
    assert desk.endpoint(handle).dialog_timer < 0
    assert set_timer(desk, handle, 10).number == 8458
    desk.world.run(20)
    assert fired(desk, "Guichet") == 0


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_timeout_is_positive(desk, seconds):
    client = desk.ask()
    assert set_timer(desk, client, seconds).number == 153
    assert desk.endpoint(client).dialog_timer < 0


def test_a_timer_does_not_outlive_its_conversation(desk):
    """protocol.md 8.4: conversation timers may not exceed the lifetime (8410)."""
    client = desk.ask(lifetime_seconds=60)
    assert set_timer(desk, client, 61).number == 8410
    assert desk.endpoint(client).dialog_timer < 0
    assert set_timer(desk, client, 60).dialog_timer == desk.endpoint(client).lifetime
