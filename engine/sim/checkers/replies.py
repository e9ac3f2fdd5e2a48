"""`Replies`: a command delivered twice is answered as the first time, and none is refused without a reason."""

from __future__ import annotations

from typing import Final

from engine.core.exchange.commands import (
    ApplyCatalog,
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    Command,
    CommitTransaction,
    EndConversation,
    MoveConversation,
    Receive,
    RollbackTransaction,
    Send,
    Statement,
)
from engine.core.exchange.events import DatabaseMirroringStateChanged, TransactionRolledBack
from engine.core.exchange.replies import Refusal, Reply, TransactionBegun
from engine.core.vocabulary.identifiers import CommandId, InstanceName, TransactionId
from engine.core.vocabulary.mirrors import MirroringRole
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Died, Entry, Issued, Replied, RepliedAgain
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario
from engine.sim.store import OUT_OF_REACH

EXPECTED_REFUSALS: Final[dict[type[Command], frozenset[int]]] = {
    # The other side may have ended, and the message that tells it may wait in the queue.
    Send: frozenset({8426, 8429}) | OUT_OF_REACH,
    EndConversation: frozenset({8426, 8427}) | OUT_OF_REACH,
    # Somebody has switched the queue off.
    Receive: frozenset({9617}) | OUT_OF_REACH,
    # The conversation has ended meanwhile, or the group with its last one; the service has got another queue.
    MoveConversation: frozenset({8426, 8436, 8438, 8439}) | OUT_OF_REACH,
    BeginConversationTimer: frozenset({8426, 8458}) | OUT_OF_REACH,
}
NO_SUCH_SERVICE: Final = 8423
TRANSACTION_GONE: Final = frozenset({3902, 3903, 3971})


class Replies(Checker):
    """Transactions are gone when their process has died, or when the engine has told that it rolled them back.

    And whoever begins one while its database moves has it at the old principal, which is not asked any more.
    """

    name = "replies"
    watches = (Committed, Died, Issued, Replied, RepliedAgain)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._first: dict[CommandId, Reply] = {}
        self._asked: dict[CommandId, float] = {}
        """When BEGIN TRANSACTION was given."""
        self._begun: dict[TransactionId, float] = {}
        self._rolled_back: set[TransactionId] = set()
        self._died_at = -1.0
        """When a process died last, anywhere: a database may have come from there since."""
        self._moved_at: dict[InstanceName, float] = {}
        """When a database got another principal last, by the instance under whose name it is known."""

    def observe(self, entry: Entry) -> None:
        """Compare."""
        match entry:
            case Died():
                self._died_at = entry.at
            case Committed():
                told = (event for event in entry.events if isinstance(event, TransactionRolledBack))
                self._rolled_back.update(event.transaction for event in told)
                self._watch_moves(entry)
            case Issued(command=BeginTransaction() as command):
                self._asked[command.command_id] = entry.at
            case Replied():
                self._replied(entry)
            case RepliedAgain() if self._first.get(entry.command.command_id) != entry.reply:
                if not self._is_gone_with_its_process(entry):
                    kind = type(entry.command).__name__
                    self.find(entry.at, entry.instance, f"a {kind} that was delivered twice was answered in two ways")
            case _:
                pass

    def _is_gone_with_its_process(self, again: RepliedAgain) -> bool:
        """Replies within a transaction live where it was begun: not after that process, nor where a database goes.

        The database may be out of reach by then, or the queue off, which is said first.
        """
        command, reply = again.command, again.reply
        if not isinstance(command, Statement) or command.transaction is None or not isinstance(reply, Refusal):
            return False
        left_at = max(self._died_at, self._moved_at.get(again.instance, -1.0))
        is_refused = reply.number in TRANSACTION_GONE | EXPECTED_REFUSALS.get(type(command), OUT_OF_REACH)
        return is_refused and left_at >= self._begun.get(command.transaction, 0.0)

    def _watch_moves(self, entry: Committed) -> None:
        for event in entry.events:
            if isinstance(event, DatabaseMirroringStateChanged) and event.role is MirroringRole.PRINCIPAL:
                place = self.ledger.place(entry.instance, event.database)
                if place is not None:
                    self._moved_at[place[0]] = entry.at

    def _replied(self, entry: Replied) -> None:
        self._first[entry.command.command_id] = entry.reply
        if isinstance(entry.reply, TransactionBegun):
            self._begun[entry.reply.transaction] = self._asked.pop(entry.command.command_id, entry.at)
        elif isinstance(entry.reply, Refusal) and not self._is_expected(entry, entry.reply.number):
            is_change = isinstance(entry.command, ApplyCatalog)
            kind = "a change of the catalog" if is_change else type(entry.command).__name__
            self.find(entry.at, entry.instance, f"{kind} was refused: {entry.reply.number}: {entry.reply.text}")

    def _is_expected(self, entry: Replied, number: int) -> bool:
        command = entry.command
        if number in TRANSACTION_GONE and isinstance(command, Statement | CommitTransaction | RollbackTransaction):
            transaction = command.transaction
            if transaction is None:
                return False
            lost_at = max(self._died_at, self._moved_at.get(entry.instance, -1.0))
            return transaction in self._rolled_back or lost_at >= self._begun.get(transaction, 0.0)
        if isinstance(command, BeginDialog) and number == NO_SUCH_SERVICE:
            return command.from_service in self.ledger.breaks.dropped
        return number in EXPECTED_REFUSALS.get(type(command), frozenset())
