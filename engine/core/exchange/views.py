"""What an instance shows of itself: rows under the vendor's column names (views.md 1), read, never written.

Lists are bounded; `…_total` says how many rows there are, so that a reader knows when it sees only the first.
"""

from __future__ import annotations

from uuid import UUID

import msgspec

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    EventSequence,
    InstanceName,
    QueueName,
    RouteName,
)
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.mirrors import MirrorState, PartnerState
from engine.core.vocabulary.moment import NEVER_SET, UtcTime
from engine.core.vocabulary.rows import ConversationState, QueueRow


class ConversationEndpointView(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `sys.conversation_endpoints`, names instead of numbers where the vendor has numbers."""

    conversation_handle: ConversationHandle
    conversation_id: ConversationId
    is_initiator: bool
    service_contract_name: str
    conversation_group_id: ConversationGroupId
    service_name: str
    lifetime: UtcTime
    state: ConversationState
    state_desc: str
    far_service: str
    far_broker_instance: BrokerInstanceId | None
    security_timestamp: UtcTime
    send_sequence: int
    end_dialog_sequence: int
    receive_sequence: int
    priority: int
    dialog_timer: UtcTime = NEVER_SET
    """When the conversation timer fires; 1900-01-01 when none runs."""
    security: SecurityKind | None = None
    """None until it is decided, and on the target of a dialog in clear."""
    principal: str = ""
    far_principal: str = ""
    outbound_session_key_identifier: UUID | None = None
    inbound_session_key_identifier: UUID | None = None


class TransmissionQueueView(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `sys.transmission_queue`, without the body but with its size."""

    conversation_handle: ConversationHandle
    to_service_name: str
    to_broker_instance: BrokerInstanceId | None
    from_service_name: str
    service_contract_name: str
    enqueue_time: UtcTime
    message_sequence_number: int
    message_type_name: str | None
    is_conversation_error: bool
    is_end_of_dialog: bool
    message_body_bytes: int
    transmission_status: str
    """Number and reason; empty when not tried yet, or sent and not acknowledged yet."""
    transmission_status_number: int | None
    priority: int


class QueueMonitorView(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `sys.dm_broker_queue_monitors`, with the readers that run."""

    state: str
    last_empty_rowset_time: UtcTime
    last_activated_time: UtcTime
    active_tasks: int


class QueuePoisonView(msgspec.Struct, frozen=True, kw_only=True):
    """Why poison-message handling has switched a queue off (protocol.md 14); in memory, so a restart forgets it."""

    at: UtcTime
    rollbacks: int
    """Transactions in a row that received from the queue and were rolled back."""
    conversation_handle: ConversationHandle
    """Of the first message that the last of them had received."""
    message_type_name: str
    message_sequence_number: int


class QueueView(msgspec.Struct, frozen=True, kw_only=True):
    """A queue and what waits in it: messages by status."""

    name: QueueName
    is_enabled: bool
    ready: int
    disabled: int
    """Arrived early (status 2)."""
    retained: int = 0
    """Received or sent, and kept by RETENTION (status 0 and 3)."""
    awaiting: int = 0
    """Came while the queue was off: in the transmission queue of the database."""
    monitor: QueueMonitorView | None = None
    """None without activation."""
    poison: QueuePoisonView | None = None
    """None unless poison messages have switched the queue off since the instance started."""


class DatabaseView(msgspec.Struct, frozen=True, kw_only=True):
    """One database, live."""

    name: DatabaseName
    broker_instance: BrokerInstanceId
    is_broker_enabled: bool
    state: DatabaseState
    """What it is now: a mirrored database that has taken another role differs from its definition."""
    partner_address: str | None
    conversation_endpoints: tuple[ConversationEndpointView, ...]
    conversation_endpoints_total: int
    transmission_queue: tuple[TransmissionQueueView, ...]
    transmission_queue_total: int
    queues: tuple[QueueView, ...]


class ConnectionView(msgspec.Struct, frozen=True, kw_only=True):
    """An outgoing connection and why it is down, if it is."""

    address: str
    state: LinkState
    peer: InstanceName | None
    error: int | None
    detail: str


class MirroredRouteView(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the partners of a mirrored route; A is the address, M the mirror address (mirroring.md 4)."""

    route: RouteName
    service_name: str
    broker_instance: BrokerInstanceId
    address: str
    mirror_address: str
    state: MirrorState
    address_state: PartnerState
    mirror_address_state: PartnerState
    principal: str | None
    """Address of the partner that is believed to be the principal, reachable or not."""
    error: int | None
    detail: str
    are_both_principal: bool
    conversations: int
    """Conversations with something to send over the route now."""
    changed_at: UtcTime | None = None
    """When any of the states changed last."""
    principal_since: UtcTime | None = None
    """Since when the principal has been believed to be so; None while there is none."""


class InstanceView(msgspec.Struct, frozen=True, kw_only=True):
    """One instance, live, as of event `last_event`."""

    name: InstanceName
    revision: CatalogRevision
    last_event: EventSequence
    endpoint_state: EndpointState | None
    """None when the instance has no broker endpoint."""
    listening_port: int | None
    """None when nothing listens."""
    listening_error: str
    databases: tuple[DatabaseView, ...]
    connections: tuple[ConnectionView, ...]
    forwarding_messages: int
    """Messages in the forwarder's memory now."""
    mirrored_routes: tuple[MirroredRouteView, ...] = ()
    """Mirrored routes that were used since the instance started."""


class QueuePeek(msgspec.Struct, frozen=True, kw_only=True):
    """The first messages of a queue as a SELECT would show them; nothing is taken."""

    messages: tuple[QueueRow, ...]
    """Bodies are cut (`PEEK_BODY_BYTES_MAX`, `PEEK_BYTES_MAX`), or empty where they were not requested."""
    total: int
    body_bytes: tuple[int, ...] = ()
    """Bytes of each body before it was cut. Empty in the answer of an earlier version, which cuts none."""


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """How far an instance is behind: sums over its databases."""

    transmission: int
    """Messages in the transmission queues."""
    oldest: UtcTime | None
    """When the oldest message that waits to be sent was put there; None when none waits."""
    ready: int
    """Messages in queues that wait to be received."""
