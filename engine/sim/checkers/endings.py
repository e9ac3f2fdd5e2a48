"""`Endings`: whatever ends an endpoint is explained by a command or a message, and what was to end has ended.

Both directions: an endpoint leaves the states in which it works only for a reason that stands in the journal, and an
order to break conversations off leaves none of them at work (protocol.md 8.2, rows 20, 21, 24, 25; identity.md 3).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from engine.core.exchange.changes import DropEndpoint, PutEndpoint
from engine.core.exchange.commands import EndConversation
from engine.core.vocabulary.identifiers import ConversationId
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.sim.breaks import BreakKind
from engine.sim.checkers.checker import Checker
from engine.sim.history import Arrived, Committed, Entry, Issued
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side

_AT_WORK: Final = frozenset(
    {ConversationState.STARTED_OUTBOUND, ConversationState.STARTED_INBOUND, ConversationState.CONVERSING}
)
_OVER: Final = frozenset({ConversationState.ERROR, ConversationState.CLOSED})
"""States in which an endpoint may be after its database's conversations were ended with errors."""


class Endings(Checker):
    """Follows the state of every endpoint from commit to commit."""

    name = "endings"
    watches = (Arrived, Committed, Issued)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._rows: dict[Side, ConversationEndpoint] = {}
        self._ended: defaultdict[Side, set[str]] = defaultdict(set)
        """How END CONVERSATION was given: plain, with error, with cleanup."""
        self._arrived: set[tuple[ConversationId, bool, MessageKind]] = set()
        """EndDialogs and Errors that came in, by the side they were for (True: the initiator's)."""

    def observe(self, entry: Entry) -> None:
        """Gather reasons, and ask for them."""
        match entry:
            case Issued(command=EndConversation() as end):
                side = self.ledger.side(entry.instance, end.database, end.conversation_handle)
                how = "cleanup" if end.with_cleanup else "plain" if end.error_code is None else "error"
                self._ended[side].add(how)
            case Arrived() if entry.message.message.kind in (MessageKind.END_DIALOG, MessageKind.ERROR):
                message = entry.message.message
                self._arrived.add((message.conversation_id, not message.from_initiator, message.kind))
            case Committed():
                self._committed(entry)
            case _:
                pass

    def _committed(self, entry: Committed) -> None:
        for place, change in self.ledger.latest:
            if isinstance(change, PutEndpoint):
                self._put(entry, (*place, change.endpoint.conversation_handle), change.endpoint)
            elif isinstance(change, DropEndpoint):
                self._dropped(entry, (*place, change.conversation_handle))
        for order in self.ledger.breaks.latest:
            for side, row in self._rows.items():
                if order.concerns(side[:2], row) and not _is_obeyed(order.kind, row.state):
                    text = f"{side[2]} is {row.state.name} after {order.kind}"
                    self.find(entry.at, side[0], text)

    def _put(self, entry: Committed, side: Side, row: ConversationEndpoint) -> None:
        before = self._rows.get(side)
        self._rows[side] = row
        state = row.state
        if before is not None and state is before.state:
            return
        if self._is_rewound(row) or self.ledger.returns or state in _AT_WORK:
            return
        if not self._is_explained(side, row):
            was = "new" if before is None else before.state.name
            self.find(entry.at, side[0], f"{side[2]} was {was} and is {state.name}, which nothing explains")

    def _is_explained(self, side: Side, row: ConversationEndpoint) -> bool:
        """Whether a command or a message has brought an endpoint into its state."""
        match row.state:
            case ConversationState.DISCONNECTED_OUTBOUND:
                return self._has_ended(side)
            case ConversationState.DISCONNECTED_INBOUND:
                return self._is_told(row, MessageKind.END_DIALOG, side[:2])
            case ConversationState.ERROR:
                return side in self.ledger.breaks.of or self._is_told(row, MessageKind.ERROR, side[:2])
            case _:
                # Closed by its own END, or as the replay guard of what an Error has ended before it began.
                return self._has_ended(side) or self._is_told(row, MessageKind.ERROR, side[:2])

    def _dropped(self, entry: Committed, side: Side) -> None:
        row = self._rows.pop(side, None)
        if row is None or self._is_rewound(row) or side in self.ledger.breaks.of or self._has_ended(side):
            return
        # A replay guard goes when its time is over (row 28).
        is_guard = row.state is ConversationState.CLOSED and not row.is_initiator
        if not is_guard and not self._is_told(row, MessageKind.ERROR, side[:2]):
            self.find(entry.at, side[0], f"{side[2]} was {row.state.name} and is gone, which nothing explains")

    def _has_ended(self, side: Side) -> bool:
        return bool(self._ended.get(side))

    def _is_told(self, row: ConversationEndpoint, kind: MessageKind, place: Place) -> bool:
        """Whether the far side has said so: over the network, or within the instance, where no message travels."""
        if (row.conversation_id, row.is_initiator, kind) in self._arrived:
            return True
        partners = self.ledger.sides.get((row.conversation_id, not row.is_initiator), [])
        near = [side for side in partners if side[0] == place[0]]
        if kind is MessageKind.END_DIALOG:
            return any("plain" in self._ended.get(side, ()) for side in near)
        is_missing = row.far_service in self.ledger.breaks.dropped
        return is_missing or any(self._has_ended(side) or side in self.ledger.breaks.of for side in near)

    def _is_rewound(self, row: ConversationEndpoint) -> bool:
        return row.conversation_id in self.ledger.rewound


def _is_obeyed(kind: BreakKind, state: ConversationState) -> bool:
    """Whether an endpoint may be in this state once an order that concerns it was obeyed."""
    if kind is BreakKind.MOVED:
        return True
    return kind is not BreakKind.DROPPED and state in _OVER
