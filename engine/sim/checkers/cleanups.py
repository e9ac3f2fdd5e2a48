"""`Cleanups`: of a conversation that was cleaned up, or whose service was dropped, nobody receives anything any more.

Endpoint, messages and what waits to be sent go in one commit (protocol.md 8.2, rows 20 and 21). And however an operator
has broken an endpoint off, it takes no further message: what comes is thrown away or refused (rows 24 and 25).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.catalog.objects import ERROR_TYPE
from engine.core.exchange.changes import AppendQueue
from engine.core.exchange.commands import EndConversation, Receive
from engine.core.exchange.replies import ConversationEnded, MessagesReceived
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import QueueRow
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Issued, Replied
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side


class Cleanups(Checker):
    """Looks at the disk in the commit of the clean-up, and at every RECEIVE that is given after it was answered."""

    name = "cleanups"
    watches = (Committed, Issued, Replied)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._gone: dict[Side, float] = {}
        """When the clean-up was answered, or the service gone from disk, in true seconds."""
        self._asked: dict[CommandId, float] = {}
        self._in_queue: set[tuple[Place, int, UtcTime]] = set()
        """Messages that ever came, by place and time: one that moves to another queue comes with the same."""
        self._looked_at = 0
        """Of the endpoints that were broken off, how many were looked at."""

    def observe(self, entry: Entry) -> None:
        """Look for remains."""
        match entry:
            case Issued(command=Receive() as receive):
                self._asked[receive.command_id] = entry.at
            case Replied(command=EndConversation(with_cleanup=True) as end, reply=ConversationEnded()):
                side = self.ledger.side(entry.instance, end.database, end.conversation_handle)
                self._gone.setdefault(side, entry.at)
            case Replied(command=Receive() as receive, reply=MessagesReceived(messages=rows)):
                asked_at = self._asked.pop(receive.command_id, entry.at)
                for row in rows:
                    side = (entry.instance, receive.database, row.conversation_handle)
                    if asked_at > self._gone.get(side, asked_at):
                        self.find(entry.at, entry.instance, f"a message of {side[2]} was received after its clean-up")
            case Committed():
                self._committed(entry)
            case _:
                pass

    def _committed(self, entry: Committed) -> None:
        broken = self.ledger.breaks.of
        fresh = list(broken)[self._looked_at :]
        self._looked_at = len(broken)
        for place, change in self.ledger.latest:
            if isinstance(change, AppendQueue):
                self._came(entry, place, change.row, fresh)
        for side in self.ledger.breaks.gone:
            self._gone.setdefault(side, entry.at)
            self._look_for_remains(entry, side)

    def _came(self, entry: Committed, place: Place, row: QueueRow, fresh: Sequence[Side]) -> None:
        """A message is put into a queue; one and the same commit may take it and then obey the order."""
        side, message = (*place, row.conversation_handle), (place, row.queuing_order, row.message_enqueue_time)
        is_user = row.message_sequence_number >= 0 and row.message_type_name != ERROR_TYPE
        if is_user and message not in self._in_queue and side in self.ledger.breaks.of and side not in fresh:
            self.find(entry.at, side[0], f"{side[2]} was broken off and takes message {row.message_sequence_number}")
        self._in_queue.add(message)

    def _look_for_remains(self, entry: Committed, side: Side) -> None:
        rows = self.ledger.queues[side[:2]].values()
        unread = sum(row.conversation_handle == side[2] for _, row in rows)
        unsent = len(self.ledger.transmission.get(side, ()))
        if side in self.ledger.endpoints or unread or unsent:
            what = "the endpoint" if side in self.ledger.endpoints else "no endpoint"
            text = f"{what}, {unread} messages to receive and {unsent} to send of {side[2]} remain after its clean-up"
            self.find(entry.at, side[0], text)
