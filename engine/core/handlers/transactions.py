"""BEGIN, COMMIT and ROLLBACK TRANSACTION (protocol.md 10, 12; tsql.md, general rules).

A commit carries out what was held back, in the order of the statements and in one outcome. What arrived meanwhile may
have ended a conversation; a message that was sent before that waits, frozen, as if it had been committed just before.
"""

from __future__ import annotations

from typing import assert_never

from engine.core.catalog.builtin import service_of
from engine.core.dialog.states import allows
from engine.core.exchange.commands import (
    BeginTransaction,
    CommitTransaction,
    EndConversation,
    MoveConversation,
    RollbackTransaction,
    Send,
)
from engine.core.exchange.events import TransactionRolledBack
from engine.core.exchange.replies import TransactionBegun, TransactionEnded
from engine.core.handlers import conversation_timers, conversations, queue_status, receiving, waiting
from engine.core.handlers.broker import Broker
from engine.core.handlers.session import TOO_MANY, input_of, transaction_of
from engine.core.queues.transactions import DialogToBegin, HeldBack, MessagesToTake, TimerToSet, Transaction
from engine.core.vocabulary.errors import LimitExceeded
from engine.core.vocabulary.identifiers import (
    ActivatedTaskId,
    ConversationGroupId,
    DatabaseName,
    QueueName,
    TransactionId,
)
from engine.core.vocabulary.limits import TRANSACTIONS_MAX
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.rows import QueueRow

NOTHING_TO_COMMIT, NOTHING_TO_ROLL_BACK = 3902, 3903


def begin_transaction(broker: Broker, command: BeginTransaction) -> TransactionBegun:
    """BEGIN TRANSACTION; 1204 when too many are open."""
    if len(broker.transactions.open) >= TRANSACTIONS_MAX:
        raise LimitExceeded(TOO_MANY, detail="Too many transactions are open", limit=TRANSACTIONS_MAX)
    transaction_id = TransactionId(broker.entropy.new_uuid())
    idle_at = Instant(broker.now.monotonic + broker.settings.transaction_idle_seconds)
    broker.transactions.begin(transaction_id, idle_at, command.task)
    return TransactionBegun(transaction=transaction_id)


def commit(broker: Broker, command: CommitTransaction) -> TransactionEnded:
    """COMMIT TRANSACTION: everything that was held back happens, and the locks go."""
    transaction = transaction_of(broker, command.transaction, NOTHING_TO_COMMIT)
    broker.transactions.close(transaction)
    waiting.released(broker, transaction)
    for statement in transaction.held_back:
        _carry_out(broker, statement)
    return TransactionEnded(committed=True)


def _carry_out(broker: Broker, statement: HeldBack) -> None:
    """One statement, as far as its conversation is still there."""
    match statement:
        case DialogToBegin():
            if service_of(broker.catalog.databases[statement.database], statement.row.service) is not None:
                conversations.open_dialog(broker, statement.database, statement.row)
        case MessagesToTake():
            receiving.take_away(broker, statement)
        case TimerToSet():
            conversation_timers.set_timer(broker, statement)
        case Send():
            endpoint = broker.conversations.get((statement.database, statement.conversation_handle))
            if endpoint is not None and endpoint.row.state not in conversations.ENDED_HERE:
                queue = broker.served(endpoint.database, endpoint.row.service).definition
                conversations.dispatch(broker, endpoint, statement, retains=queue.is_retention_enabled)
        case EndConversation():
            endpoint = broker.conversations.get((statement.database, statement.conversation_handle))
            if endpoint is not None and allows(endpoint.row.state, input_of(statement)):
                conversations.finish(broker, endpoint, statement)
        case MoveConversation():
            endpoint = broker.conversations.get((statement.database, statement.conversation_handle))
            if endpoint is not None:
                broker.regroup(endpoint, statement.conversation_group_id)
        case _:
            assert_never(statement)


def rollback(broker: Broker, command: RollbackTransaction) -> TransactionEnded:
    """ROLLBACK TRANSACTION: nothing of it has happened."""
    transaction = transaction_of(broker, command.transaction, NOTHING_TO_ROLL_BACK)
    _roll_back(broker, transaction, has_timed_out=False)
    _count_poison(broker, transaction)
    return TransactionEnded(committed=False)


def roll_back_idle(broker: Broker) -> None:
    """Sessions that were silent for too long have gone."""
    for transaction in broker.transactions.idle(broker.now.monotonic, broker.activity.readers.keys()):
        _roll_back(broker, transaction, has_timed_out=True)
        _count_poison(broker, transaction)


def forget_database(broker: Broker, database: DatabaseName) -> None:
    """A database was dropped: transactions at work in it are rolled back."""
    for transaction in [each for each in broker.transactions.open.values() if database in each.databases()]:
        _roll_back(broker, transaction, has_timed_out=False)


def forget_group(broker: Broker, database: DatabaseName, group: ConversationGroupId) -> None:
    """A service gets another queue: whoever works on its conversations is rolled back, and reads them there anew."""
    holder = broker.transactions.holder(database, group)
    if holder is not None:
        _roll_back(broker, holder, has_timed_out=False)


def roll_back_reader(broker: Broker, task: ActivatedTaskId) -> bool:
    """A reader has ended: what it left open is rolled back. Whether there was anything (8415)."""
    left = [each for each in broker.transactions.open.values() if each.task == task]
    for transaction in left:
        _roll_back(broker, transaction, has_timed_out=False)
        _count_poison(broker, transaction)
    return bool(left)


def _roll_back(broker: Broker, transaction: Transaction, *, has_timed_out: bool) -> None:
    broker.transactions.close(transaction)
    waiting.released(broker, transaction)
    broker.counters.rollbacks += bool(transaction.held_back)
    for statement in reversed(transaction.held_back):
        if isinstance(statement, MessagesToTake):
            orders = [row.queuing_order for row in statement.rows]
            broker.queue(statement.database, statement.queue).put_back(orders)
            broker.activity.stir(statement.database, statement.queue)
    broker.tell(
        TransactionRolledBack(at=broker.now.utc, transaction=transaction.transaction_id, has_timed_out=has_timed_out)
    )


def _count_poison(broker: Broker, transaction: Transaction) -> None:
    """A rollback counts once for each queue from which the transaction had received (protocol.md 14)."""
    first: dict[tuple[DatabaseName, QueueName], QueueRow] = {}
    for each in transaction.held_back:
        if isinstance(each, MessagesToTake):
            first.setdefault((each.database, each.queue), each.rows[0])
    for (database, queue), row in first.items():
        queue_status.poisoned(broker, database, queue, row)
