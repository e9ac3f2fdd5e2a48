"""Who waits in WAITFOR is served: with messages, with the empty set, or with the number of why not (protocol.md 12).

Nobody looks at the clock or at a queue for them: what may end a wait stirs the queue, and only those who wait for that
queue are looked at, in the order in which they came.
"""

from __future__ import annotations

from engine.core.exchange.commands import Receive
from engine.core.exchange.inputs import WaitCancelled
from engine.core.exchange.replies import ConversationGroupFound, MessagesReceived, Reply, refusal
from engine.core.handlers import activation, availability, receiving, waiting
from engine.core.handlers.broker import Broker
from engine.core.queues.queue import ServiceQueue
from engine.core.queues.waiters import QueueKey, Waiter
from engine.core.vocabulary.errors import BrokerError


def attend(broker: Broker) -> None:
    """Look at those who wait for queues in which something has happened."""
    if broker.activity.waiters:
        for key in list(broker.activity.stirred):
            _serve(broker, key)


def _serve(broker: Broker, key: QueueKey) -> None:
    """First come, first served, until nothing is left; after a doubt everybody is asked."""
    waiters = broker.activity.waiters
    is_doubted = waiters.settle_doubt(key)
    has_plain_failed = False
    for waiter in waiters.of_queue(key):
        if not is_doubted:
            queue = broker.queues.get(key)
            if queue is None or queue.unread == 0:
                return
            if (has_plain_failed and waiter.is_plain) or not _may_find(queue, waiter):
                continue
        reply = _try(broker, waiter)
        if reply is not None:
            waiting.reply(broker, waiter, reply)
        elif waiter.is_plain:
            has_plain_failed = True


def _may_find(queue: ServiceQueue, waiter: Waiter) -> bool:
    """Whether there is a message of the conversation that is waited for; anything else is worth a look."""
    handle = waiter.command.conversation_handle if isinstance(waiter.command, Receive) else None
    return handle is None or bool(queue.next_messages(1, handle))


def _try(broker: Broker, waiter: Waiter) -> Reply | None:
    """The statement once more; None when it goes on waiting."""
    command = waiter.command
    try:
        availability.check(broker.catalog, command)
        if isinstance(command, Receive):
            return receiving.receive(broker, command)
        return receiving.get_conversation_group(broker, command)
    except BrokerError as error:
        return refusal(error)


def expire(broker: Broker) -> None:
    """Those whose time is over are answered with the empty set."""
    for waiter in broker.activity.waiters.take_ended(broker.now.monotonic):
        _answer_empty(broker, waiter)


def cancel(broker: Broker, cancelled: WaitCancelled) -> None:
    """Whoever waits with this command has given up."""
    waiter = broker.activity.waiters.get(cancelled.command_id)
    if waiter is not None:
        _answer_empty(broker, waiter)


def _answer_empty(broker: Broker, waiter: Waiter) -> None:
    database, queue = waiter.key
    waiting.reply(broker, waiter, _nothing(waiter))
    monitor = broker.activity.monitors.get((database, queue))
    if monitor is not None:
        activation.received(broker, database, monitor.queue, is_empty=True, has_filter=waiter.has_filter)


def _nothing(waiter: Waiter) -> MessagesReceived | ConversationGroupFound:
    if isinstance(waiter.command, Receive):
        return MessagesReceived(messages=())
    return ConversationGroupFound(conversation_group_id=None)
