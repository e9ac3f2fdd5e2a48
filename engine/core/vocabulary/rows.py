"""The durable state of an instance as rows: what a store keeps and what an instance is rebuilt from.

Column names are the vendor's (views.md 1) wherever the vendor has one. Bodies are opaque bytes.

Rows are made by the million and hold nothing that could lead back to them, so the garbage collector leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import NamedTuple

import msgspec

from engine.core.vocabulary.dialog_security import DialogSecurity
from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.messages import Fragment, MessageKind
from engine.core.vocabulary.moment import NEVER_SET, UtcTime


@plain_members
class ConversationState(StrEnum):
    """`sys.conversation_endpoints.state` (protocol.md 8.1)."""

    STARTED_OUTBOUND = "SO"
    STARTED_INBOUND = "SI"
    CONVERSING = "CO"
    DISCONNECTED_INBOUND = "DI"
    DISCONNECTED_OUTBOUND = "DO"
    CLOSED = "CD"
    ERROR = "ER"

    # States are keys of tables that every message goes through; the hash of an enumeration is Python code.
    __hash__ = str.__hash__


class ConversationEndpoint(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One side of a conversation (`sys.conversation_endpoints`)."""

    conversation_handle: ConversationHandle
    conversation_id: ConversationId
    is_initiator: bool
    conversation_group_id: ConversationGroupId
    service: ServiceName
    contract: ContractName
    state: ConversationState
    far_service: ServiceName
    far_broker_instance: BrokerInstanceId | None = None
    lifetime: UtcTime
    """UTC end of life."""
    send_sequence: int = 0
    """Next number to assign."""
    receive_sequence: int = 0
    """Next number expected."""
    end_dialog_sequence: int = -1
    """Number of our own EndDialog or application Error; -1 while there is none."""
    security_timestamp: UtcTime = NEVER_SET
    """Earliest deletion of a closed target endpoint (protocol.md 8.5)."""
    priority: int = 5
    dialog_timer: UtcTime = NEVER_SET
    """When the conversation timer fires (protocol.md 16)."""
    asks_for: ServiceName | None = None
    """Of a request that the broker itself makes: the service whose route is missing (routing.md 6)."""
    asks_for_binding: ServiceName | None = None
    """Of such a request: the service whose remote service binding is missing (routing.md 6.9)."""
    is_encryption_wanted: bool = False
    """ENCRYPTION of BEGIN DIALOG."""
    security: DialogSecurity | None = None
    """None on an initiator while nothing has left for the network, and on the target of an unsecured dialog."""
    error_for_peer: int | None = None
    """Number of the error that the far end hears when it next talks (protocol.md 8.2, row 15)."""
    sent_by: bytes | None = None
    """While there is a reason for its messages to wait: how the oldest was sent (`WayTaken`, MessagePack)."""


class TransmissionRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A sequenced message that waits for its acknowledgement (`sys.transmission_queue`)."""

    conversation_handle: ConversationHandle
    message_sequence_number: int
    kind: MessageKind
    message_type_name: MessageTypeName | None
    message_body: bytes | None
    enqueue_time: UtcTime
    fragment_bytes: int | None = None
    """Size of the pieces in which the body travels, fixed when it was sent; None when it travels whole."""


class TransmissionSpan(NamedTuple):
    """Sequenced messages of one conversation that wait in the store: their numbers have no holes."""

    conversation_handle: ConversationHandle
    first: int
    end: int
    """The number behind the last one."""
    since: UtcTime
    """When the first one was enqueued."""


@plain_members
class QueueRowStatus(IntEnum):
    """Status of a message in a queue (protocol.md 4)."""

    RECEIVED_RETAINED = 0
    READY = 1
    DISABLED = 2
    """Arrived early, or one fragment of a message that is not complete (protocol.md 3.3)."""
    SENT_RETAINED = 3


class QueueRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message in a service queue, as a SELECT on the queue shows it (views.md 1)."""

    queuing_order: int
    """Unique and ascending in its database."""
    status: QueueRowStatus
    priority: int
    conversation_group_id: ConversationGroupId
    conversation_handle: ConversationHandle
    message_sequence_number: int
    service_name: ServiceName
    service_contract_name: ContractName
    message_type_name: MessageTypeName
    message_body: bytes | None
    message_enqueue_time: UtcTime
    awaits_queue: bool = False
    """Came while the queue was off: in the transmission queue of the database until it is on again (protocol.md 4)."""
    fragment_number: int | None = None
    """Which piece of its message the body is, from 0; None when it is the whole."""
    fragment_bytes: int | None = None
    """Size of every piece but the last."""
    message_bytes: int | None = None
    """Bytes of the whole body of which this is a piece."""

    @property
    def fragment(self) -> Fragment | None:
        """Which piece the body is; None when it is the whole."""
        if self.fragment_number is None or self.fragment_bytes is None or self.message_bytes is None:
            return None
        return Fragment(self.fragment_number, self.fragment_bytes, self.message_bytes)


class QueueSpan(NamedTuple):
    """Ready messages of one conversation that wait in the store: their numbers follow one another."""

    conversation_handle: ConversationHandle
    conversation_group_id: ConversationGroupId
    priority: int
    first: int
    """Number of the first one."""
    places: Sequence[int]
    """Their `queuing_order`, one for each number; ascending."""


class DepartedSession(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What stays of one side of a secured conversation that is gone: its keys, sealed, to answer what comes late."""

    conversation_id: ConversationId
    is_initiator: bool
    security: DialogSecurity
    """The kind and the keys; nothing else is needed to answer."""


class DatabaseRows(msgspec.Struct, kw_only=True):
    """Rows of one database: all of them, or a piece as loaded when an instance starts.

    The first pieces of a database have its queues, spans before rows and both in order of the places; each of the
    others has what waits for transmission on its endpoints.
    """

    name: DatabaseName
    endpoints: list[ConversationEndpoint] = []
    """In the order in which they were made."""
    transmission: list[TransmissionRow] = []
    """Ordered by conversation handle, then by number."""
    spans: list[TransmissionSpan] = []
    """Instead of them, one for each conversation, for whoever reads the rows when they are needed."""
    queues: dict[QueueName, list[QueueRow]] = {}
    """Each ordered by `queuing_order`."""
    queue_spans: dict[QueueName, list[QueueSpan]] = {}
    """Instead of plain rows (`is_plain`), for whoever reads them when they are needed; by first place."""
    departed: list[DepartedSession] = []
    """Oldest first."""


def put_together(pieces: Iterable[DatabaseRows]) -> list[DatabaseRows]:
    """Each database whole, in the order of the first pieces."""
    found: dict[DatabaseName, DatabaseRows] = {}
    for piece in pieces:
        whole = found.setdefault(piece.name, DatabaseRows(name=piece.name))
        whole.endpoints += piece.endpoints
        whole.transmission += piece.transmission
        whole.spans += piece.spans
        whole.departed += piece.departed
        for name, messages in piece.queues.items():
            whole.queues.setdefault(name, []).extend(messages)
        for name, told in piece.queue_spans.items():
            whole.queue_spans.setdefault(name, []).extend(told)
    for whole in found.values():
        whole.transmission.sort(key=_place_in_transmission)
    return list(found.values())


def _place_in_transmission(row: TransmissionRow) -> tuple[int, int]:
    return row.conversation_handle.int, row.message_sequence_number
