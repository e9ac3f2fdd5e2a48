"""`Durability`: nothing leaves an instance that its disk does not hold (protocol.md 3.4; the driver's order).

Sending too early is rarely punished: a process must die in the very moment, and even then the application says the same
thing again. So the order itself is checked, at each message that leaves.
"""

from __future__ import annotations

from engine.core.exchange.changes import AppendTransmission
from engine.core.vocabulary.messages import DialogMessage
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Transmitted
from engine.sim.ledger import Ledger, Return
from engine.sim.scenario import Scenario, Side


class Durability(Checker):
    """A message leaves after its row was committed, an acknowledgement after what it acknowledges was."""

    name = "durability"
    watches = (Committed, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._stored: dict[Side, int] = {}
        """Highest number that ever was in the transmission queue."""

    def observe(self, entry: Entry) -> None:
        """Compare what leaves with what is kept."""
        if isinstance(entry, Committed):
            for returned in self.ledger.returns:
                self._go_back(returned)
            for place, change in self.ledger.latest:
                if isinstance(change, AppendTransmission):
                    side = (*place, change.row.conversation_handle)
                    self._stored[side] = max(self._stored.get(side, -1), change.row.message_sequence_number)
        elif isinstance(entry, Transmitted):
            message = entry.message.message
            here = [
                side
                for side in self.ledger.sides.get((message.conversation_id, message.from_initiator), [])
                if self.ledger.is_at(side, entry.instance)
                and self.ledger.broker_instance(side[:2]) == message.source.broker_instance
            ]
            # After a restore a dialog can begin anew: its first endpoint is gone and says nothing any more.
            for side in [side for side in here if side in self.ledger.endpoints] or here[-1:]:
                self._left(entry.at, side, message)

    def _go_back(self, returned: Return) -> None:
        """What was stored since an old backup is not stored any more."""
        if returned.is_rewound:
            self._stored = {side: number for side, number in self._stored.items() if side[:2] != returned.place}
            for row in returned.backup.rows.endpoints:
                self._stored[(*returned.place, row.conversation_handle)] = row.send_sequence - 1

    def _left(self, at: float, side: Side, message: DialogMessage) -> None:
        if message.sequence is not None and message.sequence > self._stored.get(side, -1):
            self.find(at, side[0], f"message {message.sequence} of {side[2]} left before it was committed")
        acknowledged = message.acknowledgement
        row = self.ledger.endpoints.get(side)
        if acknowledged is not None and row is not None and acknowledged.up_to >= row.receive_sequence:
            text = f"{side[2]} has acknowledged message {acknowledged.up_to}, which is not committed"
            self.find(at, side[0], text)
