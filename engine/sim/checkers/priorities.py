"""`Priorities`: RECEIVE gives the best message that is ready and that nobody has locked (protocol.md 11, 12)."""

from __future__ import annotations

from engine.core.exchange.changes import AppendQueue, PutCommandReply, SetQueueRowStatus
from engine.core.exchange.commands import CommitTransaction, Receive
from engine.core.exchange.events import TransactionRolledBack
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.identifiers import CommandId, ConversationGroupId, InstanceName, TransactionId
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Died, Entry, Replied
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario


class Priorities(Checker):
    """Judges a reply when it comes with the commit that it was made in: then the queue is as the reader found it."""

    name = "priorities"
    watches = (Committed, Died, Replied)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._answered: dict[InstanceName, set[CommandId]] = {}
        """By the last commit."""
        self._fresh: set[tuple[Place, int]] = set()
        """Messages that became ready in the last commit, maybe after the reader had looked."""
        self._locked: dict[ConversationGroupId, tuple[InstanceName, TransactionId]] = {}
        """Groups from which a transaction has received."""

    def observe(self, entry: Entry) -> None:
        """Compare what was given with what was there."""
        match entry:
            case Committed():
                self._committed(entry)
            case Died():
                self._locked = {group: held for group, held in self._locked.items() if held[0] != entry.instance}
            case Replied(command=Receive() as receive, reply=MessagesReceived(messages=rows)) if rows:
                # A reply within a transaction is no part of a commit: the queue is as the last one has left it.
                is_first = receive.transaction is not None
                if is_first or receive.command_id in self._answered.get(entry.instance, ()):
                    self._check(entry, (entry.instance, receive.database), receive, rows[0])
                if receive.transaction is not None:
                    self._locked[rows[0].conversation_group_id] = (entry.instance, receive.transaction)
            case Replied(command=CommitTransaction() as commit):
                self._unlock({commit.transaction})
            case _:
                pass

    def _committed(self, entry: Committed) -> None:
        self._answered[entry.instance] = {
            change.command_id for change in entry.changes if isinstance(change, PutCommandReply)
        }
        self._fresh = set()
        for place, change in self.ledger.latest:
            if isinstance(change, AppendQueue):
                self._fresh.add((place, change.row.queuing_order))
            elif isinstance(change, SetQueueRowStatus):
                self._fresh |= {(place, order) for order in change.queuing_orders}
        rolled_back = {event.transaction for event in entry.events if isinstance(event, TransactionRolledBack)}
        if rolled_back:
            self._unlock(rolled_back)

    def _unlock(self, transactions: set[TransactionId]) -> None:
        self._locked = {group: held for group, held in self._locked.items() if held[1] not in transactions}

    def _check(self, entry: Replied, place: Place, receive: Receive, given: QueueRow) -> None:
        better = [
            row
            for order, (queue, row) in self.ledger.queues[place].items()
            if row.priority > given.priority
            and queue == receive.queue
            and row.status is QueueRowStatus.READY
            and not row.awaits_queue
            and (place, order) not in self._fresh
            and row.conversation_group_id not in self._locked
        ]
        if better:
            text = f"a message of priority {given.priority} was given while one of {better[0].priority} was ready"
            self.find(entry.at, entry.instance, text)
