"""`DialogEndpoint`: one side of a conversation in memory, its durable row with sender, receiver and transmission state.

It starts with BEGIN DIALOG or with an arriving message 0, and finishes when its row is dropped. It is not
responsible for storing anything: whoever changes `row` records the change.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.dialog.piece import Piece
from engine.core.dialog.reassembly import Reassembly
from engine.core.dialog.receiver import DialogReceiver
from engine.core.dialog.sender import DialogSender
from engine.core.dialog.session import DialogSession
from engine.core.exchange.neighbours import Neighbour
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationHandle,
    DatabaseName,
    MessageTypeName,
    RouteName,
    ServiceName,
)
from engine.core.vocabulary.message_memory import MessageMemory
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage, DialogTarget, Fragment, MessageKind
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState, TransmissionRow
from engine.core.vocabulary.settings import DialogSettings

_Content = tuple[TransmissionRow, bytes | None, Fragment | None]
"""A message, the bytes of it that travel, and which piece of it they are."""

_DISCONNECTED_INBOUND, _ERROR = ConversationState.DISCONNECTED_INBOUND, ConversationState.ERROR
"""States in which our own pending messages stay where they are until our END (9779, 9784)."""


@dataclass(slots=True, frozen=True)
class TransmissionStatus:
    """Why messages of a conversation wait; no number when nothing stands in the way (views.md 3)."""

    number: int | None = None
    text: str = ""


NOTHING_IN_THE_WAY = TransmissionStatus()


FarEnd = tuple[DatabaseName, ServiceName, BrokerInstanceId | None, bool]
"""Of the conversations of a database: service and database at their other end, and whether ours is the initiator."""


class Speaker:
    """A neighbour under one catalog: what it was found to be entitled to holds until either changes."""

    __slots__ = ("catalog", "far_ends", "neighbour")

    def __init__(self, neighbour: Neighbour, catalog: InstanceCatalog) -> None:
        self.neighbour: Final = neighbour
        self.catalog: Final = catalog
        self.far_ends: set[FarEnd] = set()
        """For which it may speak, whatever the conversation."""


class Permit(NamedTuple):
    """The last message that was judged by the definitions: the next one like it need not be."""

    definitions: Hashable
    """Those by which it was judged; others judge anew."""
    state: ConversationState
    contract: ContractName
    message_type: MessageTypeName
    retains: bool = False
    """Of a SEND: whether the sender's queue keeps a copy (protocol.md 15)."""


class DialogEndpoint:
    """One conversation endpoint and its transmission object (protocol.md 5)."""

    __slots__ = (
        "announced",
        "arrival_permit",
        "binding_was_asked",
        "broker_instance",
        "counted_state",
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
        "send_permit",
        "send_priority",
        "sender",
        "serial",
        "session",
        "speaker",
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
        memory: MessageMemory | None = None,
    ) -> None:
        self.database = database
        self.broker_instance = broker_instance
        """The id of our own database."""
        self.row = row
        self.sender = DialogSender(settings.retry_seconds, entropy, self, memory)
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
        self.send_permit: Permit | None = None
        """What a SEND was last found to be allowed."""
        self.arrival_permit: Permit | None = None
        """What an arriving message was last found to be allowed."""
        self.speaker: Speaker | None = None
        """Who was last found to be entitled to speak for the far end."""
        self.serial = 0
        """Place in the order in which the instance's endpoints were made; given by whoever keeps them."""
        self.counted_state: ConversationState | None = None
        """In which state the sums of the instance include it, if they do (`ConversationTally`)."""

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
        return self.receiver.acknowledge_at is not None or self.has_messages_to_send

    @property
    def has_messages_to_send(self) -> bool:
        """Whether messages of its own wait for the far end to have them."""
        return bool(self.sender) and not self.is_frozen

    @property
    def route_taken(self) -> RouteName | None:
        """The route of our own database that the last decision took."""
        decision = self.announced
        if decision is not None and decision.via is not None:
            decision = decision.via
        return None if decision is None or decision.route is None else decision.route.name

    @property
    def target(self) -> DialogTarget:
        """Whom our messages address."""
        return DialogTarget(self.row.far_service, self.row.far_broker_instance)

    def message(self, row: TransmissionRow) -> DialogMessage:
        """A stored message as a whole, with the latest acknowledgement on its back."""
        return self._envelopes([(row, row.message_body, None)])[0]

    def travelling(self, pieces: Iterable[Piece]) -> list[DialogMessage]:
        """Messages, or fragments of them, as they travel."""
        return self._envelopes(
            [
                (piece.row, piece.row.message_body, None) if piece.row.fragment_bytes is None else self._cut(piece)
                for piece in pieces
            ]
        )

    def _cut(self, piece: Piece) -> _Content:
        row = piece.row
        whole, size = self.sender.travelling(row), row.fragment_bytes or 0
        start = piece.fragment * size
        return row, whole[start : start + piece.size], Fragment(piece.fragment, size, len(whole))

    def secured_body(self, row: TransmissionRow) -> bytes | None:
        """What a large body is cut from when the dialog is secured."""
        return None if self.session is None else self.session.secured_body(self.message(row))

    def stored_rows(self, first: int) -> Sequence[TransmissionRow]:
        """Committed messages from the number `first` on; `StoreFailed` when they cannot be read."""
        source = self.sender.memory.source
        assert source is not None, "nothing is left behind where it could not be read"
        return source.transmission_rows(self.database, self.row.conversation_handle, first)

    def acknowledgement_message(self) -> DialogMessage:
        """A dedicated acknowledgement: unsequenced, never stored (protocol.md 2)."""
        row = self.row
        return DialogMessage(
            conversation_id=row.conversation_id,
            from_initiator=row.is_initiator,
            source=DialogTarget(row.service, self.broker_instance),
            target=self.target,
            kind=MessageKind.ACKNOWLEDGEMENT,
            contract=row.contract,
            acknowledgement=self._acknowledgement(),
            first_acknowledged=self.first_acknowledged and row.is_initiator,
            expires_at=row.lifetime,
            priority=row.priority,
        )

    def _envelopes(self, contents: Iterable[_Content]) -> list[DialogMessage]:
        """Messages with everything but their content in common."""
        own = self.row
        source, target = DialogTarget(own.service, self.broker_instance), self.target
        acknowledgement = self._acknowledgement()
        first_acknowledged = self.first_acknowledged and own.is_initiator
        return [
            DialogMessage(
                conversation_id=own.conversation_id,
                from_initiator=own.is_initiator,
                source=source,
                target=target,
                kind=row.kind,
                sequence=row.message_sequence_number,
                contract=own.contract,
                message_type=row.message_type_name,
                body=body,
                fragment=fragment,
                acknowledgement=acknowledgement,
                first_acknowledged=first_acknowledged,
                expires_at=own.lifetime,
                priority=own.priority,
            )
            for row, body, fragment in contents
        ]

    def _acknowledgement(self) -> Acknowledgement | None:
        seen, seen_fragment = self.receiver.highest_seen
        if seen < 0:
            return None
        receiver = self.receiver
        return Acknowledgement(receiver.up_to, seen, self.broker_instance, receiver.next_fragment, seen_fragment)
