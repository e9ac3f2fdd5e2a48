"""Poison messages: transactions that received from a queue and were rolled back, one after another (protocol.md 14).

The counts live in memory: an instance that starts anew begins with none, as a queue does that is switched on.
"""

from __future__ import annotations

from engine.core.exchange.views import QueuePoisonView
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.limits import POISON_ROLLBACKS_MAX


class PoisonBook:
    """How many transactions in a row have received from a queue and rolled back."""

    def __init__(self) -> None:
        self._rollbacks: dict[tuple[DatabaseName, str], int] = {}
        self._causes: dict[tuple[DatabaseName, str], QueuePoisonView] = {}

    def rolled_back(self, database: DatabaseName, queue: QueueName) -> bool:
        """Count one more; True when the queue must be switched off, with which the count begins anew."""
        key = (database, queue.casefold())
        count = self._rollbacks.get(key, 0) + 1
        self._rollbacks[key] = count
        if count < POISON_ROLLBACKS_MAX:
            return False
        del self._rollbacks[key]
        return True

    def forget(self, database: DatabaseName, queue: QueueName) -> None:
        """A RECEIVE was committed, or the queue was switched: the row of rollbacks is broken."""
        if self._rollbacks or self._causes:
            key = (database, queue.casefold())
            self._rollbacks.pop(key, None)
            self._causes.pop(key, None)

    def forget_database(self, database: DatabaseName) -> None:
        """The database is closed here: whoever opens it, here or elsewhere, begins to count."""
        for key in [key for key in self._rollbacks if key[0] == database]:
            del self._rollbacks[key]

    def remember(self, database: DatabaseName, queue: QueueName, cause: QueuePoisonView) -> None:
        """The queue was switched off for this, until it is switched again."""
        self._causes[database, queue.casefold()] = cause

    def cause(self, database: DatabaseName, queue: QueueName) -> QueuePoisonView | None:
        """Why the queue was switched off; None when it was not, or not by poison messages."""
        return self._causes.get((database, queue.casefold()))
