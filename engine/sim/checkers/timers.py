"""`Timers`: a conversation timer fires once, not before its time, and never for a conversation that has ended.

That none is lost is for `convergence`: a world in which a timer still runs is not at rest (protocol.md 16).
"""

from __future__ import annotations

from collections import Counter as Count
from collections import defaultdict

from engine.core.catalog.objects import DIALOG_TIMER_TYPE
from engine.core.exchange.changes import AppendQueue, DropEndpoint, PutEndpoint
from engine.core.exchange.commands import BeginConversationTimer, Receive
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.moment import NEVER_SET, UtcTime
from engine.core.vocabulary.rows import ConversationState, QueueRow
from engine.sim.checkers.checker import Checker
from engine.sim.checkers.sessions import Sessions
from engine.sim.history import Committed, Entry, Issued, Replied
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side

_Message = tuple[Place, int, UtcTime]
"""A DialogTimer message: its place in the queues of a database, which a later message may get again, and its time."""
_ENDED = (ConversationState.DISCONNECTED_OUTBOUND, ConversationState.CLOSED)


class Timers(Checker):
    """Keeps the time of each timer from the rows on disk, and the DialogTimer messages that they have left."""

    name = "timers"
    watches = (Committed, Issued, Replied)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._armed: dict[Side, UtcTime] = {}
        self._asked: Count[Side] = Count()
        """BEGIN CONVERSATION TIMER that was given and is not on disk yet, as far as is known."""
        self._fired: set[_Message] = set()
        self._received: set[_Message] = set()
        self._sessions = Sessions()

    def observe(self, entry: Entry) -> None:
        """Compare what fires with what was set."""
        match entry:
            case Issued(command=BeginConversationTimer() as timer):
                self._asked[self.ledger.side(entry.instance, timer.database, timer.conversation_handle)] += 1
            case Committed():
                self._committed(entry)
            case _:
                pass
        if isinstance(entry, Issued | Replied):
            for each in self._sessions.effective(entry):
                match each:
                    case Replied(command=Receive() as receive, reply=MessagesReceived(messages=rows)):
                        self._taken(entry, (each.instance, receive.database), rows)
                    case _:
                        pass

    def _committed(self, entry: Committed) -> None:
        fired: defaultdict[Side, list[QueueRow]] = defaultdict(list)
        for place, change in self.ledger.latest:
            if not isinstance(change, AppendQueue) or change.row.message_type_name != DIALOG_TIMER_TYPE:
                continue
            message = (place, change.row.queuing_order, change.row.message_enqueue_time)
            # A message that moves to another queue keeps its place; nothing has fired then.
            if message not in self._fired:
                self._fired.add(message)
                fired[(*place, change.row.conversation_handle)].append(change.row)
        touched = {**dict.fromkeys(fired), **dict.fromkeys(self._touched())}
        for side in touched:
            self._judge(entry, side, fired.get(side, []))

    def _touched(self) -> list[Side]:
        found: list[Side] = []
        for place, change in self.ledger.latest:
            if isinstance(change, PutEndpoint):
                found.append((*place, change.endpoint.conversation_handle))
            elif isinstance(change, DropEndpoint):
                found.append((*place, change.conversation_handle))
        return found

    def _judge(self, entry: Committed, side: Side, fired: list[QueueRow]) -> None:
        """What one commit has done with the timer of one endpoint."""
        row = self.ledger.endpoints.get(side)
        before = self._armed.pop(side, NEVER_SET)
        now = NEVER_SET if row is None else row.dialog_timer
        if now != NEVER_SET:
            self._armed[side] = now
        if now not in (NEVER_SET, before) and not self._asked[side]:
            self.find(entry.at, side[0], f"a timer of {side[2]} runs that nobody has set")
        if len(fired) > (before != NEVER_SET):
            self.find(entry.at, side[0], f"the timer of {side[2]} has fired {len(fired)} times, set or not")
        for message in fired:
            if before != NEVER_SET and message.message_enqueue_time < before:
                early = before - message.message_enqueue_time
                self.find(entry.at, side[0], f"the timer of {side[2]} has fired {early:.3f} s too early")
        if row is None or row.state in _ENDED:
            if fired or now != NEVER_SET:
                self.find(entry.at, side[0], f"a timer of {side[2]} goes on although the conversation has ended")
        elif before != NEVER_SET and now == NEVER_SET and not fired and not self._is_rewound(side):
            self.find(entry.at, side[0], f"the timer of {side[2]} is gone and has not fired")
        elif fired and now == before:
            self.find(entry.at, side[0], f"the timer of {side[2]} has fired and still runs")

    def _taken(self, entry: Entry, place: Place, rows: tuple[QueueRow, ...]) -> None:
        for row in rows:
            if row.message_type_name != DIALOG_TIMER_TYPE:
                continue
            message = (place, row.queuing_order, row.message_enqueue_time)
            if message in self._received or message not in self._fired:
                what = "twice" if message in self._received else "though no timer has fired"
                self.find(entry.at, place[0], f"a DialogTimer of {row.conversation_handle} was received {what}")
            self._received.add(message)

    def _is_rewound(self, side: Side) -> bool:
        """Whether the database went back to a time when the timer was not set."""
        row = self.ledger.known.get(side)
        return row is not None and row.conversation_id in self.ledger.rewound
