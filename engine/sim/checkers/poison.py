"""`Poison`: five rollbacks in a row switch a queue off, fewer never do (protocol.md 14)."""

from __future__ import annotations

from collections import Counter as Count
from collections import defaultdict
from collections.abc import Callable
from functools import partial

from engine.core.exchange.changes import DropDatabaseRows
from engine.core.exchange.commands import CommitTransaction, Receive
from engine.core.exchange.events import (
    DatabaseMirroringStateChanged,
    QueueDisabled,
    QueueSwitched,
    TransactionRolledBack,
)
from engine.core.exchange.replies import MessagesReceived, TransactionEnded
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName, TransactionId
from engine.core.vocabulary.limits import POISON_ROLLBACKS_MAX
from engine.sim.breaks import BreakKind
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Died, Entry, Replied
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario

_Queue = tuple[InstanceName, DatabaseName, QueueName]


class Poison(Checker):
    """Counts rollbacks of transactions that had received something; a process that dies forgets its counts."""

    name = "poison"
    watches = (Committed, Died, Replied)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._read: defaultdict[TransactionId, set[_Queue]] = defaultdict(set)
        self._rollbacks: Count[tuple[InstanceName, _Queue]] = Count()
        """By the instance that counts: a partner of a mirrored database has counts of its own."""

    def observe(self, entry: Entry) -> None:
        """Count."""
        match entry:
            case Died():
                self._rollbacks = Count(
                    {key: count for key, count in self._rollbacks.items() if key[0] != entry.instance}
                )
            case Replied(command=Receive() as receive, reply=MessagesReceived(messages=rows)) if rows:
                self._received(entry.instance, receive)
            case Replied(command=CommitTransaction() as commit, reply=TransactionEnded()):
                read = self._read.pop(commit.transaction, set())
                self._forget(lambda _, queue: queue in read)
            case Committed():
                self._committed(entry)
            case _:
                pass

    def _received(self, instance: InstanceName, receive: Receive) -> None:
        queue = (instance, receive.database, receive.queue)
        if receive.transaction is None:
            self._forget(lambda _, each: each == queue)
        else:
            self._read[receive.transaction].add(queue)

    def _committed(self, entry: Committed) -> None:
        gone = {change.database for change in entry.changes if isinstance(change, DropDatabaseRows)}
        gone |= {event.database for event in entry.events if isinstance(event, DatabaseMirroringStateChanged)}
        off = {event.queue for event in entry.events if isinstance(event, QueueDisabled)}
        for event in entry.events:
            if isinstance(event, TransactionRolledBack):
                for queue in self._read.pop(event.transaction, ()):
                    if queue[1] not in gone and not self._is_moved(queue):
                        self._rolled_back(entry, queue, is_off=queue[2] in off)
            elif isinstance(event, QueueSwitched):
                self._forget(partial(_is, (entry.instance, event.database, event.queue)))
        if gone:
            # A database that is detached, restored, or given another role takes the counts of its queues along.
            self._forget(lambda counts, queue: counts == entry.instance and queue[1] in gone)

    def _rolled_back(self, entry: Committed, queue: _Queue, *, is_off: bool) -> None:
        self._rollbacks[entry.instance, queue] += 1
        count = self._rollbacks[entry.instance, queue]
        if is_off and count < POISON_ROLLBACKS_MAX:
            self.find(entry.at, queue[0], f"{queue[2]} was switched off after {count} rollbacks")
        if not is_off and count >= POISON_ROLLBACKS_MAX:
            self.find(entry.at, queue[0], f"{queue[2]} is still on after {count} rollbacks in a row")

    def _is_moved(self, queue: _Queue) -> bool:
        """Whether an operator has just given a service of the database another queue: the reader is not to blame."""
        moved = (each for each in self.ledger.breaks.latest if each.kind is BreakKind.MOVED)
        return any(each.place == queue[:2] for each in moved)

    def _forget(self, concerns: Callable[[InstanceName, _Queue], bool]) -> None:
        """`concerns` is asked with the instance that counts; another one may have a queue of the same name."""
        for key in [key for key in self._rollbacks if concerns(*key)]:
            del self._rollbacks[key]


def _is(switched: _Queue, counts: InstanceName, queue: _Queue) -> bool:
    return (counts, *queue[1:]) == switched
