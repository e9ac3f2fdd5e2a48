"""BEGIN CONVERSATION TIMER and what happens when a timer runs out (protocol.md 16, tsql.md 9.4)."""

from __future__ import annotations

from engine.core.catalog.objects import DIALOG_TIMER_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import DialogInput, allows
from engine.core.exchange.commands import BeginConversationTimer
from engine.core.exchange.events import ConversationTimerFired
from engine.core.exchange.replies import TimerSet
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import move, put_into_queue
from engine.core.handlers.planning import plan
from engine.core.handlers.session import Session
from engine.core.queues.transactions import TimerToSet
from engine.core.vocabulary.errors import LocalProtocolError, number_text
from engine.core.vocabulary.limits import LIFETIME_SECONDS_MAX
from engine.core.vocabulary.moment import NEVER_SET, UtcTime


def begin_conversation_timer(broker: Broker, command: BeginConversationTimer) -> TimerSet:
    """Set the timer of a conversation, or replace the one that runs; it counts from the statement."""
    session = Session(broker, command)
    row = session.row(command.conversation_handle)
    handle = str(command.conversation_handle)
    if command.timeout_seconds <= 0:
        value, detail = f"TIMEOUT = {number_text(command.timeout_seconds)}", "it is a positive number of seconds"
        raise LocalProtocolError(153, name="BEGIN CONVERSATION TIMER", value=value, detail=detail)
    if not allows(row.state, DialogInput.SET_TIMER):
        raise LocalProtocolError(8458, state=row.state.name, conversation_handle=handle)
    # No lifetime is longer than the largest; past it the sum may be no number any more.
    at = broker.now.utc + min(command.timeout_seconds, LIFETIME_SECONDS_MAX + 1)
    if at > row.lifetime:
        raise LocalProtocolError(8410, value=command.timeout_seconds, conversation_handle=handle)
    session.check_room()
    session.lock(row.conversation_group_id)
    timer = TimerToSet(session.database.name, row.conversation_handle, UtcTime(at))
    if session.transaction is None:
        set_timer(broker, timer)
    else:
        session.hold_back(timer)
    return TimerSet(dialog_timer=timer.at)


def set_timer(broker: Broker, timer: TimerToSet) -> None:
    """The statement commits: the timer runs, unless the conversation has gone or ended meanwhile."""
    endpoint = broker.conversations.get((timer.database, timer.conversation_handle))
    if endpoint is not None and allows(endpoint.row.state, DialogInput.SET_TIMER):
        move(broker, endpoint, DialogInput.SET_TIMER)
        endpoint.revise(dialog_timer=timer.at)
        broker.touch(endpoint)
        broker.stir(endpoint)
        plan(broker, endpoint)


def clear_timer(broker: Broker, endpoint: DialogEndpoint) -> None:
    """This side has ended the conversation: nothing fires any more."""
    if endpoint.row.dialog_timer != NEVER_SET:
        endpoint.revise(dialog_timer=NEVER_SET)
        broker.touch(endpoint)
        broker.stir(endpoint)


def fire_if_due(broker: Broker, endpoint: DialogEndpoint) -> None:
    """A timer that has run out leaves a DialogTimer message in the conversation's own queue, and is gone."""
    row = endpoint.row
    if row.dialog_timer == NEVER_SET or row.dialog_timer > broker.now.utc:
        return
    clear_timer(broker, endpoint)
    if allows(row.state, DialogInput.TIMER_FIRED) and move(broker, endpoint, DialogInput.TIMER_FIRED):
        put_into_queue(broker, endpoint, -1, DIALOG_TIMER_TYPE, None)
        handle = row.conversation_handle
        broker.tell(ConversationTimerFired(at=broker.now.utc, database=endpoint.database, conversation_handle=handle))
