"""WAITFOR: a statement that finds nothing waits, and one that has its reply does so no more (protocol.md 12)."""

from __future__ import annotations

from engine.core.catalog.builtin import service_of
from engine.core.exchange.commands import WAIT_FOR_EVER, WaitingStatement
from engine.core.exchange.replies import Reply
from engine.core.handlers import activation
from engine.core.handlers.broker import Broker
from engine.core.handlers.session import TOO_MANY, Session
from engine.core.queues.transactions import Transaction
from engine.core.queues.waiters import Waiter
from engine.core.vocabulary.errors import LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import ConversationGroupId, DatabaseName, QueueName
from engine.core.vocabulary.limits import WAITERS_MAX, WAITFOR_MILLISECONDS_MAX
from engine.core.vocabulary.moment import Instant

BAD_VALUE = 153


def goes_on(broker: Broker, session: Session, command: WaitingStatement, queue: QueueName, *, found: bool) -> bool:
    """Whether a WAITFOR that was just tried waits, from now on or longer; its reply is then `reply`'s affair.

    Raises 153 for a TIMEOUT that is none, 1204 for a waiter too many.
    """
    if broker.activity.waiters.get(command.command_id) is not None:
        return not found
    patience = command.waitfor_milliseconds
    if patience is None or not WAIT_FOR_EVER <= patience <= WAITFOR_MILLISECONDS_MAX:
        detail = f"it takes milliseconds, at most {WAITFOR_MILLISECONDS_MAX}, or {WAIT_FOR_EVER} for no end"
        raise LocalProtocolError(BAD_VALUE, name="TIMEOUT", value=patience, detail=detail)
    if found or patience == 0:
        return False
    if len(broker.activity.waiters) >= WAITERS_MAX:
        raise LimitExceeded(TOO_MANY, detail="Too many sessions wait in WAITFOR", limit=WAITERS_MAX)
    ends_at = None if patience == WAIT_FOR_EVER else Instant(broker.now.monotonic + patience / 1000)
    broker.activity.wait(Waiter(command, (command.database, queue.casefold()), ends_at))
    activation.waits(broker, command.database, queue)
    if session.transaction is not None:
        session.transaction.waiting += 1
    return True


def reply(broker: Broker, waiter: Waiter, answer: Reply) -> None:
    """A statement has waited long enough: it has its reply, and its session may be silent again."""
    broker.activity.leave(waiter)
    monitor = broker.activity.monitors.get(waiter.key)
    if monitor is not None:
        broker.stir_queue(monitor.database, monitor.queue)
    broker.reply_late(waiter.command.command_id, answer)
    named = waiter.command.transaction
    transaction = None if named is None else broker.transactions.open.get(named)
    if transaction is not None:
        transaction.waiting -= 1
        transaction.idle_at = Instant(broker.now.monotonic + broker.settings.transaction_idle_seconds)


def released(broker: Broker, transaction: Transaction) -> None:
    """A transaction has ended: its groups are free for whoever waits, and its own statements wait in vain (3971)."""
    activity = broker.activity
    if not activity.waiters:
        return
    for database, group in transaction.groups:
        name = _queue_of_group(broker, database, group)
        if name is not None:
            activity.stir(database, name)
    if transaction.waiting:
        activity.doubt({each.key for each in activity.waiters.of_transaction(transaction.transaction_id)})


def _queue_of_group(broker: Broker, database: DatabaseName, group: ConversationGroupId) -> QueueName | None:
    """The queue that the conversations of a group share; None when database, group or service is gone."""
    catalog = broker.catalog.databases.get(database)
    members = broker.conversations.of_group(database, group)
    service = service_of(catalog, members[0].row.service) if catalog is not None and members else None
    return None if service is None else service.queue
