"""Commands of a session, inside its transaction where it has one, and BEGIN, COMMIT and ROLLBACK TRANSACTION."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.exchange.commands import BeginTransaction, Command, CommitTransaction, RollbackTransaction
from engine.core.exchange.replies import Refusal, Reply, TransactionBegun
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import CommandId, TransactionId
from engine.tsql.console.failing import StatementFailed, failed, failed_as, refused
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget

NO_SUCH_TRANSACTION: Final = 3971


class Transactions:
    """The transaction of one session."""

    def __init__(self, target: ConsoleTarget, state: SessionState) -> None:
        self._target = target
        self._state = state

    def new_id(self) -> CommandId:
        """An id for a command."""
        return CommandId(self._target.new_uuid())

    def ask(self, command: Command, line: int) -> Reply:
        """Carry out a command; what the instance refuses is an error of the statement."""
        try:
            reply = self._target.execute([command])[0]
        except BrokerError as error:
            raise failed_as(error, line) from None
        if isinstance(reply, Refusal):
            if reply.number == NO_SUCH_TRANSACTION:
                # The instance has rolled it back: it was silent for too long, or the instance has started anew.
                self._state.end_transaction()
            raise refused(reply, line)
        return reply

    def read(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a view or queue as the session sees it, with what its transaction has done. `BrokerError`."""
        try:
            return self._target.system_view(msgspec.structs.replace(query, transaction=self._state.transaction))
        except BrokerError as error:
            if error.number == NO_SUCH_TRANSACTION:
                self._state.end_transaction()
            raise

    def current(self, line: int) -> TransactionId | None:
        """The transaction that a statement belongs to; None where each commits by itself. Errors: 3930."""
        state = self._state
        if state.transaction_count == 0:
            return None
        if state.is_doomed:
            raise failed(3930, at=line)
        if state.transaction is None:
            state.transaction = self.begin_own(line)
        return state.transaction

    def begin_own(self, line: int) -> TransactionId:
        """A transaction of the instance."""
        reply = self.ask(BeginTransaction(command_id=self.new_id()), line)
        assert isinstance(reply, TransactionBegun), "BEGIN TRANSACTION answers with its transaction"
        return reply.transaction

    def end_own(self, transaction: TransactionId, line: int, *, commits: bool) -> None:
        """Commit a transaction of the instance, or roll it back."""
        kind = CommitTransaction if commits else RollbackTransaction
        self.ask(kind(command_id=self.new_id(), transaction=transaction), line)

    def begin(self) -> None:
        """BEGIN TRANSACTION; inside of one it only counts."""
        self._state.transaction_count += 1

    def commit(self, line: int) -> None:
        """COMMIT TRANSACTION; the outermost one commits. Errors: 3902, 3930."""
        state = self._state
        if state.transaction_count == 0:
            raise failed(3902, at=line)
        if state.is_doomed:
            raise failed(3930, at=line)
        if state.transaction_count > 1:
            state.transaction_count -= 1
            return
        transaction = state.transaction
        state.end_transaction()
        if transaction is not None:
            self.end_own(transaction, line, commits=True)

    def roll_back(self, line: int) -> None:
        """ROLLBACK TRANSACTION: all of it, however deep. Errors: 3903."""
        if self._state.transaction_count == 0:
            raise failed(3903, at=line)
        self.abandon(line)

    def abandon(self, line: int) -> None:
        """Roll back whatever is open; harmless when nothing is, or when the instance has done so already."""
        transaction = self._state.transaction
        self._state.end_transaction()
        if transaction is None:
            return
        try:
            self.end_own(transaction, line, commits=False)
        except StatementFailed as error:
            if error.number not in (NO_SUCH_TRANSACTION, 3903):
                raise
