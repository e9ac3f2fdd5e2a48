"""`Sessions`: which statements of transactions have happened, told by what their commits were answered."""

from __future__ import annotations

from collections import defaultdict

from engine.core.exchange.commands import CommitTransaction, RollbackTransaction, Statement
from engine.core.exchange.replies import TransactionEnded
from engine.core.vocabulary.identifiers import TransactionId
from engine.sim.history import Issued, Replied


class Sessions:
    """Holds entries of statements back until their transaction is committed."""

    def __init__(self) -> None:
        self._held: defaultdict[TransactionId, list[Issued | Replied]] = defaultdict(list)

    def effective(self, entry: Issued | Replied) -> list[Issued | Replied]:
        """The entries that have happened with this one: itself, those of a transaction that it commits, or none."""
        command = entry.command
        if isinstance(command, Statement) and command.transaction is not None:
            self._held[command.transaction].append(entry)
            return []
        if isinstance(entry, Replied) and isinstance(command, CommitTransaction | RollbackTransaction):
            held = self._held.pop(command.transaction, [])
            return held if isinstance(entry.reply, TransactionEnded) and entry.reply.committed else []
        return [entry]
