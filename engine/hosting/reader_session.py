"""`ReaderSession`: what an internal reader may say to its instance (protocol.md 17.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

from engine.core.exchange.commands import (
    BeginConversationTimer,
    BeginTransaction,
    Command,
    CommitTransaction,
    EndConversation,
    GetConversationGroup,
    Receive,
    RollbackTransaction,
    Send,
    waitfor_milliseconds,
)
from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.replies import ConversationGroupFound, MessagesReceived, Refusal, Reply, TransactionBegun
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import BrokerError, LocalProtocolError
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationGroupId,
    ConversationHandle,
    DatabaseName,
    MessageTypeName,
    QueueName,
    TransactionId,
)
from engine.core.vocabulary.rows import QueueRow
from engine.hosting.errors import EngineUnavailable

Answer = TypeVar("Answer", bound=Reply)


class ReaderSession:
    """A session in the queue's database. Every statement raises `BrokerError` when it is refused, and
    `EngineUnavailable` when the instance cannot be asked any more. For one thread.
    """

    def __init__(
        self,
        start: ReaderStart,
        execute: Callable[[Sequence[Command]], list[Reply]],
        entropy: Entropy,
    ) -> None:
        self.database: Final[DatabaseName] = start.database
        self.queue: Final[QueueName] = start.queue
        self._task = start.task
        self._execute = execute
        self._entropy = entropy
        self._transaction: TransactionId | None = None

    @property
    def has_open_transaction(self) -> bool:
        """Whether a transaction was begun and has not ended."""
        return self._transaction is not None

    # ── transactions ─────────────────────────────────────────────────────────────────────────────────────────────
    def begin(self) -> None:
        """BEGIN TRANSACTION: the statements to come are part of it."""
        command = BeginTransaction(command_id=self.new_id(), task=self._task)
        self._transaction = self.ask(command, TransactionBegun).transaction

    def commit(self) -> None:
        """COMMIT TRANSACTION; 3902 without one."""
        self._end_transaction(3902, CommitTransaction)

    def roll_back(self) -> None:
        """ROLLBACK TRANSACTION; 3903 without one."""
        self._end_transaction(3903, RollbackTransaction)

    def _end_transaction(self, missing: int, command: type[CommitTransaction] | type[RollbackTransaction]) -> None:
        transaction, self._transaction = self._transaction, None
        if transaction is None:
            raise LocalProtocolError(missing)
        self.execute(command(command_id=self.new_id(), transaction=transaction))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction around a block: committed at its end, rolled back when it raises."""
        self.begin()
        try:
            yield
        except BaseException:
            self.abandon()
            raise
        if self.has_open_transaction:
            self.commit()

    def abandon(self) -> None:
        """Roll back what is open, if anything is; never raises."""
        if self.has_open_transaction:
            # An instance that is gone has rolled it back already.
            with suppress(BrokerError, EngineUnavailable):
                self.roll_back()

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────────────
    def receive(self, top: int = 1, *, wait_seconds: float = 0.0) -> tuple[QueueRow, ...]:
        """WAITFOR (RECEIVE TOP (n)), TIMEOUT: empty when nothing came in time; `math.inf` waits for ever."""
        command = Receive(
            command_id=self.new_id(),
            database=self.database,
            queue=self.queue,
            top=top,
            transaction=self._transaction,
            waitfor_milliseconds=waitfor_milliseconds(wait_seconds),
        )
        return self.ask(command, MessagesReceived).messages

    def get_conversation_group(self, *, wait_seconds: float = 0.0) -> ConversationGroupId | None:
        """WAITFOR (GET CONVERSATION GROUP), TIMEOUT: None when nothing came in time; a transaction locks the group."""
        command = GetConversationGroup(
            command_id=self.new_id(),
            database=self.database,
            queue=self.queue,
            transaction=self._transaction,
            waitfor_milliseconds=waitfor_milliseconds(wait_seconds),
        )
        return self.ask(command, ConversationGroupFound).conversation_group_id

    def send(
        self, handle: ConversationHandle, body: bytes | None = None, message_type: MessageTypeName | None = None
    ) -> None:
        """SEND ON CONVERSATION."""
        self.execute(
            Send(
                command_id=self.new_id(),
                database=self.database,
                conversation_handle=handle,
                message_type=message_type,
                body=body,
                transaction=self._transaction,
            )
        )

    def end(
        self, handle: ConversationHandle, *, error_code: int | None = None, error_description: str | None = None
    ) -> None:
        """END CONVERSATION, or WITH ERROR when both are given."""
        self.execute(
            EndConversation(
                command_id=self.new_id(),
                database=self.database,
                conversation_handle=handle,
                error_code=error_code,
                error_description=error_description,
                transaction=self._transaction,
            )
        )

    def begin_timer(self, handle: ConversationHandle, timeout_seconds: int) -> None:
        """BEGIN CONVERSATION TIMER."""
        self.execute(
            BeginConversationTimer(
                command_id=self.new_id(),
                database=self.database,
                conversation_handle=handle,
                timeout_seconds=timeout_seconds,
                transaction=self._transaction,
            )
        )

    def execute(self, command: Command) -> Reply:
        """Any other command; it is part of the transaction when it names it."""
        [reply] = self._execute([command])
        if isinstance(reply, Refusal):
            raise LocalProtocolError(reply.number, **reply.parameters)
        return reply

    def ask(self, command: Command, answer: type[Answer]) -> Answer:
        """Execute a command whose reply is known."""
        reply = self.execute(command)
        assert isinstance(reply, answer), "a command has one kind of reply"
        return reply

    def new_id(self) -> CommandId:
        """A key for one more command."""
        return CommandId(self._entropy.new_uuid())
