"""`DialogEndpoint`: one side of a conversation in memory, its durable row with sender, receiver and transmission state.

It starts with BEGIN DIALOG or with an arriving message 0, and finishes when its row is dropped. It is not
responsible for storing anything: whoever changes `row` records the change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from engine.core.dialog.reassembly import Reassembly
from engine.core.dialog.receiver import DialogReceiver
from engine.core.dialog.sender import DialogSender, Piece
from engine.core.dialog.session import DialogSession
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import BrokerInstanceId, ConversationHandle, DatabaseName
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage, DialogTarget, Fragment, MessageKind
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, TransmissionRow
from engine.core.vocabulary.settings import DialogSettings

_DISCONNECTED_INBOUND, _ERROR = ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR
"""States in which our own pending messages stay where they are until our END (9779, 9784)."""


@dataclass(slots=True, frozen=True)
class TransmissionStatus:
    """Why messages of a conversation wait; no number when nothing stands in the way (views.md 3)."""

    number: int | None = None
    text: str = ""


NOTHING_IN_THE_WAY = TransmissionStatus()


class DialogEndpoint:
    """One conversation endpoint and its transmission object (protocol.md 5)."""

    __slots__ = (
        "announced",
        "binding_was_asked",
        "broker_instance",
        "database",
        "decision",
        "first_acknowledged",
        "has_stored_rows",
        "is_cut_off",
        "is_known",
        "receiver",
        "reclassify_at",
        "row",
        "scheduled_at",
        "send_priority",
        "sender",
        "serial",
        "session",
        "status",
    )

    def __init__(
        self,
        database: DatabaseName,
        broker_instance: BrokerInstanceId,
        row: ConversationEndpoint,
        settings: DialogSettings,
        entropy: Entropy,
        reassembly: Reassembly,
    ) -> None:
        self.database = database
        self.broker_instance = broker_instance
        """The id of our own database."""
        self.row = row
        self.sender = DialogSender(settings.retry_seconds, entropy, self._secured_body)
        self.receiver = DialogReceiver(row.receive_sequence, settings.acknowledgement_delay_seconds, reassembly)
        self.decision: ClassifierDecision | None = None
        """Where our messages go; None until first needed and after every routing-relevant change."""
        self.announced: ClassifierDecision | None = None
        """The last decision that was told as an event."""
        self.reclassify_at: Instant | None = None
        self.is_known = False
        """Whether the broker has it: not before it is added, not after it is forgotten."""
        self.is_cut_off = False
        """Whether the connection we are to use has failed."""
        self.has_stored_rows = False
        """Whether the transmission queue on disk holds rows of this endpoint."""
        self.status = NOTHING_IN_THE_WAY
        self.session: DialogSession | None = None
        """The keys of a secured dialog, once they were needed."""
        self.binding_was_asked = False
        """Whether the configuration service has answered a request for the binding that this dialog misses."""
        self.first_acknowledged = False
        self.send_priority: int | None = None
        """Priority of what waits to be sent; None until first needed (protocol.md 11)."""
        self.scheduled_at: Instant | None = None
        """When the instance's agenda will look at this endpoint."""
        self.serial = 0
        """Place in the order in which the instance's endpoints were made; given by whoever keeps them."""

    @property
    def key(self) -> tuple[DatabaseName, ConversationHandle]:
        """By which the instance knows it."""
        return self.database, self.row.conversation_handle

    def revise(self, **fields: Any) -> None:
        """Replace fields of the durable row in memory."""
        self.row = msgspec.structs.replace(self.row, **fields)

    @property
    def is_frozen(self) -> bool:
        """Whether pending messages may no longer be sent."""
        state = self.row.state
        return state is _DISCONNECTED_INBOUND or state is _ERROR

    @property
    def wants_to_send(self) -> bool:
        """Whether there is anything for the far end: messages, or an acknowledgement that is owed."""
        return self.receiver.acknowledge_at is not None or (bool(self.sender) and not self.is_frozen)

    @property
    def target(self) -> DialogTarget:
        """Whom our messages address."""
        return DialogTarget(self.row.far_service, self.row.far_broker_instance)

    def message(self, row: TransmissionRow) -> DialogMessage:
        """A stored message as a whole, with the latest acknowledgement on its back."""
        return self._envelope(row.kind, row.message_sequence_number, row.message_type_name, row.message_body)

    def piece(self, piece: Piece) -> DialogMessage:
        """A message, or a fragment of it, as it travels."""
        row = piece.row
        if row.fragment_bytes is None or row.message_body is None:
            return self.message(row)
        whole = self.sender.travelling(row)
        fragment = Fragment(piece.fragment, row.fragment_bytes, len(whole))
        start = piece.fragment * row.fragment_bytes
        body = whole[start : start + piece.size]
        return self._envelope(row.kind, row.message_sequence_number, row.message_type_name, body, fragment)

    def _secured_body(self, row: TransmissionRow) -> bytes | None:
        """What a large body is cut from when the dialog is secured."""
        return None if self.session is None else self.session.secured_body(self.message(row))

    def acknowledgement_message(self) -> DialogMessage:
        """A dedicated acknowledgement: unsequenced, never stored (protocol.md 2)."""
        return self._envelope(MessageKind.ACKNOWLEDGEMENT, None, None, None)

    def _envelope(
        self,
        kind: MessageKind,
        number: int | None,
        message_type: Any,
        body: bytes | None,
        fragment: Fragment | None = None,
    ) -> DialogMessage:
        return DialogMessage(
            conversation_id=self.row.conversation_id,
            from_initiator=self.row.is_initiator,
            source=DialogTarget(self.row.service, self.broker_instance),
            target=self.target,
            kind=kind,
            sequence=number,
            contract=self.row.contract,
            message_type=message_type,
            body=body,
            fragment=fragment,
            acknowledgement=self._acknowledgement(),
            first_acknowledged=self.first_acknowledged and self.row.is_initiator,
            expires_at=self.row.lifetime,
            priority=self.row.priority,
        )

    def _acknowledgement(self) -> Acknowledgement | None:
        seen, seen_fragment = self.receiver.highest_seen
        if seen < 0:
            return None
        receiver = self.receiver
        return Acknowledgement(receiver.up_to, seen, self.broker_instance, receiver.next_fragment, seen_fragment)
