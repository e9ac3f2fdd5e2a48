"""`SessionState`: what a session is between two statements: its database, its transaction, the last error."""

from __future__ import annotations

from typing import Final

from engine.core.vocabulary.identifiers import DatabaseName, TransactionId
from engine.tsql.console.failing import StatementFailed

OPEN, DOOMED, NONE = 1, -1, 0
"""What XACT_STATE() answers: a transaction that can be committed, one that can only be rolled back, none."""


class SessionState:
    """Changes as statements run."""

    def __init__(self, database: DatabaseName, number: int) -> None:
        self.database = database
        self.number: Final = number
        """@@SPID."""
        self.transaction: TransactionId | None = None
        """The transaction of the instance; it begins with the first statement that needs one."""
        self.transaction_count = 0
        """@@TRANCOUNT."""
        self.is_doomed = False
        self.row_count = 0
        """@@ROWCOUNT."""
        self.last_error = 0
        """@@ERROR."""
        self.caught: StatementFailed | None = None
        """The error that the CATCH block at work has caught."""
        self.is_xact_abort = False
        self.is_no_count = False

    @property
    def xact_state(self) -> int:
        """What XACT_STATE() answers."""
        if self.transaction_count == 0:
            return NONE
        return DOOMED if self.is_doomed else OPEN

    def end_transaction(self) -> None:
        """It is over, one way or the other."""
        self.transaction = None
        self.transaction_count = 0
        self.is_doomed = False
