"""`Conservation`: a message that is committed stays on some disk until it is received, at every single commit.

A sender may forget a message only when the receiving database holds it, has handed it out, or takes nothing more. So
no crash between any two commits can lose it.
"""

from __future__ import annotations

from typing import Final

from engine.core.catalog.objects import END_DIALOG_TYPE, ERROR_TYPE
from engine.core.exchange.changes import AppendQueue, AppendTransmission, StateChange, TrimTransmission
from engine.core.vocabulary.identifiers import ConversationId
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, QueueRow, TransmissionRow
from engine.sim.checkers.checker import Checker
from engine.sim.history import Arrived, Committed, Entry
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side

_Message = tuple[ConversationId, bool, int]
"""Conversation, whether the initiator has sent it, number."""

_READS: Final = (ConversationState.STARTED_INBOUND, ConversationState.STARTED_OUTBOUND, ConversationState.CONVERSING)
"""States in which arriving messages still go to the queue."""


class Conservation(Checker):
    """Follows each message from the disk of its sender to the disk of its receiver."""

    name = "conservation"
    watches = (Arrived, Committed)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._sent: dict[Side, dict[int, TransmissionRow]] = {}
        self._bodies: dict[_Message, list[bytes | None]] = {}
        """What was sent; by several senders when a dialog has opened two copies of a service."""
        self._errors: set[tuple[ConversationId, bool]] = set()
        """Sides of conversations that an error has come to."""
        self._arrived: dict[_Message, bytes | None] = {}

    def observe(self, entry: Entry) -> None:
        """Take arrivals down before departures: within one instance both are one commit."""
        if isinstance(entry, Arrived) and entry.message.message.kind is MessageKind.ERROR:
            message = entry.message.message
            self._errors.add((message.conversation_id, not message.from_initiator))
        if not isinstance(entry, Committed):
            return
        for place, change in self.ledger.latest:
            self._arrive(entry, place, change)
        self._leave(entry)

    def _arrive(self, entry: Committed, place: Place, change: StateChange) -> None:
        match change:
            case AppendTransmission():
                side = (*place, change.row.conversation_handle)
                self._sent.setdefault(side, {})[change.row.message_sequence_number] = change.row
                self._take_down(side, change.row)
            case AppendQueue() if change.row.fragment is None:
                side = (*place, change.row.conversation_handle)
                endpoint = self.ledger.known.get(side)
                if endpoint is None:
                    self.find(entry.at, entry.instance, f"a message came into the queue of {side[2]}, which is unknown")
                else:
                    self._keep(entry, endpoint, change.row)
            case _:
                pass

    def _keep(self, entry: Committed, endpoint: ConversationEndpoint, row: QueueRow) -> None:
        place = (endpoint.conversation_id, not endpoint.is_initiator, row.message_sequence_number)
        self._arrived[place] = row.message_body
        # The end or the Error of a target that has begun anew may bear the number of what the first one has said.
        is_user = row.message_type_name not in (END_DIALOG_TYPE, ERROR_TYPE)
        if is_user and row.message_body not in self._bodies.get(place, [row.message_body]):
            self.find(entry.at, entry.instance, f"message {place[2]} to {row.conversation_handle} has another body")

    def _take_down(self, side: Side, row: TransmissionRow) -> None:
        endpoint = self.ledger.known.get(side)
        if endpoint is not None and row.kind is MessageKind.USER:
            place = (endpoint.conversation_id, endpoint.is_initiator, row.message_sequence_number)
            self._bodies.setdefault(place, []).append(row.message_body)

    def _leave(self, entry: Committed) -> None:
        for place, change in self.ledger.latest:
            if isinstance(change, TrimTransmission):
                side = (*place, change.conversation_handle)
                rows = self._sent.get(side, {})
                for number in sorted(number for number in rows if number <= change.through):
                    self._check_departure(entry.at, side, rows.pop(number))

    def _check_departure(self, at: float, side: Side, row: TransmissionRow) -> None:
        endpoint = self.ledger.known.get(side)
        if endpoint is None or row.kind is not MessageKind.USER:
            return
        place = (endpoint.conversation_id, endpoint.is_initiator, row.message_sequence_number)
        if endpoint.conversation_id in self.ledger.rewound:
            # Its database has gone back to an old backup, which ends the conversation with all that waited.
            return
        if side in self.ledger.breaks.of:
            # An operator has broken it off: what waited goes with it, or stays until this side ends.
            return
        if place in self._arrived or self._may_drop(side, endpoint) or self._nobody_reads(endpoint):
            return
        text = f"message {row.message_sequence_number} of {side[2]} left its transmission queue and is nowhere else"
        self.find(at, side[0], text)

    def _may_drop(self, side: Side, endpoint: ConversationEndpoint) -> bool:
        """Whether this side has ended with an error, was told of one, or has read the end of the other (rows 9-18)."""
        state = endpoint.state
        if state is ConversationState.DISCONNECTED_OUTBOUND:
            pending = self.ledger.transmission.get(side, {})
            has_failed = (endpoint.conversation_id, endpoint.is_initiator) in self._errors
            return has_failed or any(row.kind is MessageKind.ERROR for row in pending.values())
        is_gone = side not in self.ledger.endpoints
        return is_gone or state in (ConversationState.CLOSED, ConversationState.ERROR)

    def _nobody_reads(self, endpoint: ConversationEndpoint) -> bool:
        """Whether the other end has ended or failed: then arrivals are acknowledged and thrown away (rows 11, 17)."""
        others = self.ledger.sides.get((endpoint.conversation_id, not endpoint.is_initiator), [])
        return any(
            side not in self.ledger.endpoints or self.ledger.endpoints[side].state not in _READS for side in others
        )
