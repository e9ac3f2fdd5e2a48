"""`Rollbacks`: a RECEIVE that was rolled back gives the same messages again, in the same order (protocol.md 12, 14)."""

from __future__ import annotations

import msgspec

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange.commands import CommitTransaction, Receive
from engine.core.exchange.replies import MessagesReceived, TransactionEnded
from engine.core.vocabulary.identifiers import InstanceName, TransactionId
from engine.core.vocabulary.rows import QueueRow
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Replied
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario, Side


class _Taken(msgspec.Struct):
    """Letters of one conversation that a transaction has received and not committed, as far as is known."""

    transaction: TransactionId
    letters: list[tuple[int, bytes | None]]


class Rollbacks(Checker):
    """Whoever gets messages of a conversation next gets those first that nobody has received for good."""

    name = "rollbacks"
    watches = (Committed, Replied)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._taken: dict[Side, _Taken] = {}

    def observe(self, entry: Entry) -> None:
        """Hold what is received against what was."""
        match entry:
            case Committed():
                for returned in self.ledger.returns:
                    if returned.is_rewound:
                        self._taken = {side: each for side, each in self._taken.items() if side[:2] != returned.place}
            case Replied(command=Receive() as receive, reply=MessagesReceived(messages=rows)):
                by_side: dict[Side, list[QueueRow]] = {}
                for row in rows:
                    side = (entry.instance, receive.database, row.conversation_handle)
                    by_side.setdefault(side, []).append(row)
                for side, of_side in by_side.items():
                    self._received(entry.at, entry.instance, side, receive.transaction, of_side)
            case Replied(command=CommitTransaction() as commit, reply=TransactionEnded(committed=True)):
                gone = [side for side, each in self._taken.items() if each.transaction == commit.transaction]
                for side in gone:
                    del self._taken[side]
            case _:
                pass

    def _received(
        self, at: float, instance: InstanceName, side: Side, transaction: TransactionId | None, rows: list[QueueRow]
    ) -> None:
        letters = [
            (row.message_sequence_number, row.message_body)
            for row in rows
            if row.message_type_name not in (DIALOG_TIMER_TYPE, END_DIALOG_TYPE, ERROR_TYPE)
        ]
        before = self._taken.get(side)
        if before is not None and before.transaction != transaction:
            if any(one != other for one, other in zip(before.letters, letters, strict=False)):
                was, now = [number for number, _ in before.letters], [number for number, _ in letters]
                self.find(at, instance, f"{was} of {side[2]} were rolled back, and {now} were given then")
            before = None
        if transaction is None:
            self._taken.pop(side, None)
        elif before is not None:
            before.letters += letters
        else:
            self._taken[side] = _Taken(transaction, letters)
