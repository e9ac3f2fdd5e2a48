"""What time brings: retries, acknowledgements that cannot wait, lifetimes, reclassification, links to try again."""

from __future__ import annotations

from engine.core.catalog.objects import ERROR_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput
from engine.core.handlers import conversation_timers, forwarding, inbound, links, serving, transactions
from engine.core.handlers.agenda import AGENDA_HORIZON_SECONDS
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import move, put_into_queue
from engine.core.handlers.outbound import transmit
from engine.core.handlers.planning import plan
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.moment import Instant, earlier
from engine.core.vocabulary.rows import ConversationState

LIFETIME_EXCEEDED = 8489


def handle_timer(broker: Broker) -> None:
    """Do everything that is due; calling it too early does nothing."""
    now = broker.now.monotonic
    if broker.sweep_at is None or broker.sweep_at <= now:
        _sweep(broker)
    for at, key in broker.agenda.take_due(now):
        endpoint = broker.conversations.live(key)
        if endpoint is not None and endpoint.scheduled_at == at:
            endpoint.scheduled_at = None
            _attend(broker, endpoint)
    for endpoint in broker.conversations.take_due(broker.now.utc):
        _attend(broker, endpoint)
    serving.expire(broker)
    transactions.roll_back_idle(broker)
    forwarding.expire(broker)
    inbound.expire(broker)
    links.try_again(broker)


def _sweep(broker: Broker) -> None:
    """Plan every endpoint anew, so that deadlines beyond the agenda's horizon come onto it in time."""
    broker.sweep_at = Instant(broker.now.monotonic + AGENDA_HORIZON_SECONDS / 2)
    for endpoint in broker.conversations.all_live():
        plan(broker, endpoint)


def _attend(broker: Broker, endpoint: DialogEndpoint) -> None:
    if broker.is_out_of_reach(endpoint):
        transmit(broker, endpoint)
        return
    conversation_timers.fire_if_due(broker, endpoint)
    row = endpoint.row
    if row.state is ConversationState.CLOSED:
        guard = broker.settings.dialog.closed_target_guard_seconds
        keeps_until = row.security_timestamp if row.security_timestamp > 0 else row.lifetime + guard
        if keeps_until <= broker.now.utc:
            move(broker, endpoint, DialogInput.GUARD_OVER)
            return
    elif row.lifetime <= broker.now.utc and row.state is not ConversationState.ERROR:
        _expire(broker, endpoint)
    if broker.knows(endpoint):
        transmit(broker, endpoint)


def _expire(broker: Broker, endpoint: DialogEndpoint) -> None:
    """The lifetime is over: each side raises its own error (protocol.md 8.4)."""
    if move(broker, endpoint, DialogInput.LIFETIME_EXPIRED):
        body = error_body(-LIFETIME_EXCEEDED, text_of(LIFETIME_EXCEEDED))
        put_into_queue(broker, endpoint, -1, ERROR_TYPE, body)


def wake_at(broker: Broker) -> Instant | None:
    """When `handle_timer` has something to do next."""
    at = earlier(broker.agenda.wake_at(), broker.sweep_at)
    at = earlier(at, broker.activity.wake_at())
    if (written := broker.conversations.next_wake()) is not None:
        at = earlier(at, broker.now.monotonic_at(written))
    at = earlier(at, links.wake_at(broker))
    at = earlier(at, broker.transmitter.wake_at())
    at = earlier(at, broker.transactions.wake_at(broker.activity.readers))
    return earlier(at, broker.waiting_room.wake_at())
