"""Open transactions and the conversation groups they have locked (protocol.md 10). They live in memory only.

A transaction holds its statements back until the commit; what it has received stays in the queue, taken. So there is
nothing to undo on disk, and an instance that is killed has rolled back everything that was open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from engine.core.exchange.commands import EndConversation, MoveConversation, Send
from engine.core.vocabulary.identifiers import (
    ActivatedTaskId,
    ConversationGroupId,
    ConversationHandle,
    DatabaseName,
    QueueName,
    TransactionId,
)
from engine.core.vocabulary.limits import TRANSACTION_STATEMENT_BYTES
from engine.core.vocabulary.moment import Instant, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, QueueRow

GroupKey = tuple[DatabaseName, ConversationGroupId]
ConversationKey = tuple[DatabaseName, ConversationHandle]


class DialogToBegin(msgspec.Struct, frozen=True):
    """BEGIN DIALOG held back: the endpoint it makes at the commit."""

    database: DatabaseName
    row: ConversationEndpoint


class MessagesToTake(msgspec.Struct, frozen=True):
    """RECEIVE held back: the messages leave at the commit, or are put back."""

    database: DatabaseName
    queue: QueueName
    rows: tuple[QueueRow, ...]


class TimerToSet(msgspec.Struct, frozen=True):
    """BEGIN CONVERSATION TIMER held back: when the timer fires, counted from the statement."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    at: UtcTime


HeldBack = DialogToBegin | MessagesToTake | TimerToSet | Send | EndConversation | MoveConversation
"""What a commit carries out, in the order of the statements."""


@dataclass(slots=True)
class Transaction:
    """One session's work between BEGIN TRANSACTION and its end."""

    transaction_id: TransactionId
    idle_at: Instant
    """When it is rolled back unless another statement comes."""
    task: ActivatedTaskId | None = None
    """The reader whose it is: as long as that one runs, its session is alive however silent."""
    waiting: int = 0
    """Statements of it that wait in WAITFOR: until they are answered its session is alive as well."""
    held_back: list[HeldBack] = field(default_factory=list)
    held_bytes: int = 0
    """What these statements are counted with; messages that were received are the queue's."""
    groups: dict[GroupKey, None] = field(default_factory=dict)
    begun: dict[ConversationKey, ConversationEndpoint] = field(default_factory=dict)
    moved: dict[ConversationKey, ConversationGroupId] = field(default_factory=dict)
    sends: Counter[ConversationKey] = field(default_factory=Counter)
    ended: dict[ConversationKey, list[EndConversation]] = field(default_factory=dict)
    """Twice is possible: END CONVERSATION, then WITH CLEANUP."""
    of_conversation: dict[ConversationKey, list[tuple[UtcTime, HeldBack]]] = field(default_factory=dict)
    """Statements held back that change a conversation, each with its time, by conversation and in order."""
    taken: dict[DatabaseName, set[int]] = field(default_factory=dict)
    """Places (`queuing_order`) of the messages that were received, by database."""

    def databases(self) -> set[DatabaseName]:
        """Databases in which the transaction has locked anything."""
        return {database for database, _ in self.groups}


def _size(statement: HeldBack) -> int:
    """Bytes that a statement takes while it is held back."""
    match statement:
        case Send(body=bytes(body)):
            return TRANSACTION_STATEMENT_BYTES + len(body)
        case EndConversation(error_description=str(description)):
            return TRANSACTION_STATEMENT_BYTES + len(description.encode())
        case _:
            return TRANSACTION_STATEMENT_BYTES


class TransactionBook:
    """Every open transaction of an instance and who holds which conversation group."""

    def __init__(self) -> None:
        self.open: dict[TransactionId, Transaction] = {}
        self.held_bytes = 0
        """What all open transactions hold back."""
        self._holders: dict[GroupKey, Transaction] = {}

    def begin(self, transaction_id: TransactionId, idle_at: Instant, task: ActivatedTaskId | None) -> None:
        """A transaction without statements and without locks."""
        self.open[transaction_id] = Transaction(transaction_id, idle_at, task)

    def holder(self, database: DatabaseName, group: ConversationGroupId) -> Transaction | None:
        """Who has locked a group."""
        return self._holders.get((database, group))

    def may_lock(self, database: DatabaseName, group: ConversationGroupId, own: Transaction | None) -> bool:
        """Whether nobody else has locked the group."""
        holder = self._holders.get((database, group))
        return holder is None or holder is own

    def lock(self, transaction: Transaction, database: DatabaseName, group: ConversationGroupId) -> None:
        """Lock a group until the transaction ends; ask `may_lock` first."""
        assert self.may_lock(database, group, transaction), "one holder at a time"
        transaction.groups[database, group] = None
        self._holders[database, group] = transaction

    def hold_back(self, transaction: Transaction, statement: HeldBack, at: UtcTime) -> None:
        """Keep a statement of the time `at` until the transaction ends."""
        size = _size(statement)
        match statement:
            case MessagesToTake(database=database, rows=rows):
                transaction.taken.setdefault(database, set()).update(row.queuing_order for row in rows)
            case DialogToBegin():
                pass
            case _:
                key = (statement.database, statement.conversation_handle)
                transaction.of_conversation.setdefault(key, []).append((at, statement))
        transaction.held_back.append(statement)
        transaction.held_bytes += size
        self.held_bytes += size

    def close(self, transaction: Transaction) -> None:
        """The transaction has ended: its locks are gone, and what it held back is no burden any more."""
        self.held_bytes -= transaction.held_bytes
        del self.open[transaction.transaction_id]
        for key in transaction.groups:
            del self._holders[key]

    def idle(self, now: Instant, running: Container[ActivatedTaskId]) -> list[Transaction]:
        """Those whose session has been silent for too long; a reader that runs is alive, and so is who waits."""
        return [each for each in self._silent(running) if each.idle_at <= now]

    def wake_at(self, running: Container[ActivatedTaskId]) -> Instant | None:
        """When the next one is to be rolled back."""
        if not self.open:
            return None
        return min((each.idle_at for each in self._silent(running)), default=None)

    def _silent(self, running: Container[ActivatedTaskId]) -> Iterator[Transaction]:
        return (each for each in self.open.values() if each.task not in running and not each.waiting)


@dataclass(slots=True, frozen=True)
class TransactionReader:
    """A queue as one session sees it: others' groups are locked, its own statements have happened."""

    book: TransactionBook
    database: DatabaseName
    transaction: Transaction | None

    def sees(self, group: ConversationGroupId, handle: ConversationHandle) -> bool:
        own = self.transaction
        is_ended = own is not None and (self.database, handle) in own.ended
        return not is_ended and self.book.may_lock(self.database, group, own)

    def group_of(self, handle: ConversationHandle, group: ConversationGroupId) -> ConversationGroupId:
        moved = self.transaction.moved if self.transaction is not None else {}
        return moved.get((self.database, handle), group)

    def moved_to(self, group: ConversationGroupId) -> Iterable[ConversationHandle]:
        moved = self.transaction.moved if self.transaction is not None else {}
        return [handle for (_, handle), to in moved.items() if to == group]
