"""What happened, as a closed union named after the vendor's trace event classes (views.md 4).

Every event says when (`at`, UTC) and, where it belongs to one, in which database and conversation. Events are
numbered by the store in the same commit as the changes they tell of, so nobody ever hears of what was not kept.
"""

from __future__ import annotations

from uuid import UUID

from engine.core.exchange.event_base import EventBase
from engine.core.exchange.silent_events import (
    ConversationTouched,
    ForwardedMessagesWait,
    InstanceStarted,
    QueueTouched,
    TransmissionRetryAsked,
)
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    InstanceName,
    MessageTypeName,
    QueueName,
    RouteName,
    ServiceName,
    TransactionId,
)
from engine.core.vocabulary.messages import LinkState, LoginEnded, MessageKind, TcpAddress
from engine.core.vocabulary.mirrors import MirroringRole, MirrorState, PartnerState
from engine.core.vocabulary.moment import Duration
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.subclasses import ActivationSubclass, AuditFailure, ConversationHappening


class MessageClassified(EventBase, frozen=True, tag="message-classified"):
    """Broker:Message Classify: how a conversation's next hop was decided, told when the decision changes.

    Of what came from the network it is told for each message that is discarded; such a decision is not explained.
    """

    database: DatabaseName | None
    """Whose endpoint sends; None for what came from the network."""
    conversation_id: ConversationId
    from_initiator: bool
    to_service: ServiceName
    decision: ClassifierDecision
    from_service: ServiceName | None = None
    """Whose end it is; None for what came from the network, and in logs that were written before it was told."""
    to_broker_instance: BrokerInstanceId | None = None
    """The broker id that was asked for: of BEGIN DIALOG, or that of the far end once it is known."""


class ConversationStateChanged(EventBase, frozen=True, tag="conversation-state-changed"):
    """Broker:Conversation: an endpoint was made, changed its state, or (state None) is gone."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    conversation_id: ConversationId
    is_initiator: bool
    state: ConversationState | None
    happening: ConversationHappening | None = None
    """What led there; None in logs that were written before it was told."""
    conversation_group_id: ConversationGroupId | None = None
    priority: int | None = None


class ConversationGroupChanged(EventBase, frozen=True, tag="conversation-group-changed"):
    """Broker:Conversation Group: a group began with its first conversation, or ended with its last one."""

    database: DatabaseName
    conversation_group_id: ConversationGroupId
    is_created: bool


class MessageQueuedForTransmission(EventBase, frozen=True, tag="message-queued-for-transmission"):
    """A sequenced message entered the transmission queue."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    message_sequence_number: int
    kind: MessageKind


class MessageSentDirectly(EventBase, frozen=True, tag="message-sent-directly"):
    """Broker:Conversation, SEND Message: a message went straight into a queue of this instance (routing.md 3.4)."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    message_sequence_number: int
    kind: MessageKind


class TransmissionStatusChanged(EventBase, frozen=True, tag="transmission-status-changed"):
    """Broker:Transmission: why a conversation's messages wait; number None when nothing is in the way."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    number: int | None
    text: str


class RemoteMessageAcknowledged(EventBase, frozen=True, tag="remote-message-acknowledged"):
    """Broker:Remote Message Acknowledgement, received: rows up to `up_to` have left the transmission queue."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    up_to: int
    carrier: MessageKind | None = None
    """Kind of the message on whose back it came; None when the far side is in this very instance."""
    carrier_number: int | None = None


class RemoteAcknowledgementSent(EventBase, frozen=True, tag="remote-acknowledgement-sent"):
    """Broker:Remote Message Acknowledgement, sent: one that was owed has left, alone or on a message's back."""

    database: DatabaseName
    conversation_handle: ConversationHandle
    up_to: int
    carrier: MessageKind
    carrier_number: int | None = None


class MessageDelivered(EventBase, frozen=True, tag="message-delivered"):
    """A message became ready in a service queue."""

    database: DatabaseName
    queue: QueueName
    conversation_handle: ConversationHandle
    message_sequence_number: int
    message_type_name: MessageTypeName


class MessagesTaken(EventBase, frozen=True, tag="messages-taken"):
    """A RECEIVE committed."""

    database: DatabaseName
    queue: QueueName
    count: int


class TransactionRolledBack(EventBase, frozen=True, tag="transaction-rolled-back"):
    """A transaction was rolled back, by its session or because the session was silent for too long."""

    transaction: TransactionId
    has_timed_out: bool


class MessageUndeliverable(EventBase, frozen=True, tag="message-undeliverable"):
    """Broker:Message Undeliverable: an arriving message was discarded, with the number of the reason."""

    conversation_id: ConversationId
    from_initiator: bool
    to_service: ServiceName
    message_sequence_number: int | None
    number: int
    text: str


class MessageCorrupted(EventBase, frozen=True, tag="message-corrupted"):
    """Broker:Corrupted Message: an arriving message is not what its sender sent; discarded without acknowledgement."""

    conversation_id: ConversationId
    from_initiator: bool
    to_service: ServiceName
    message_sequence_number: int | None
    number: int
    text: str


class ConversationAudited(EventBase, frozen=True, tag="conversation-audited"):
    """Audit Broker Conversation: dialog security was refused at the receiver (protocol.md 9.3)."""

    conversation_id: ConversationId
    from_initiator: bool
    to_service: ServiceName
    message_sequence_number: int | None
    failure: AuditFailure
    number: int
    text: str


class _Forwarded(EventBase, frozen=True, kw_only=True):
    """Of a message for another instance; what may be None is so in logs that were written before it was told."""

    conversation_id: ConversationId
    from_initiator: bool
    to_service: ServiceName
    message_sequence_number: int | None
    to_broker_instance: BrokerInstanceId | None = None
    from_service: ServiceName | None = None
    from_broker_instance: BrokerInstanceId | None = None
    message_kind: MessageKind | None = None
    """With the number and the direction it makes the id of the message, which traces show."""
    message_id: UUID | None = None
    """In logs that were written before the kind was told."""
    time_to_live: Duration | None = None
    """Seconds it may be under way."""
    time_consumed: Duration | None = None
    """Seconds of these that are used."""


class ForwardedMessageSent(_Forwarded, frozen=True, kw_only=True, tag="forwarded-message-sent"):
    """Broker:Forwarded Message Sent."""

    hops_remaining: int
    address: TcpAddress


class ForwardedMessageDropped(_Forwarded, frozen=True, kw_only=True, tag="forwarded-message-dropped"):
    """Broker:Forwarded Message Dropped, with the number of the reason (protocol.md 7.4)."""

    number: int
    text: str
    hops_remaining: int | None = None


class ConnectionStateChanged(EventBase, frozen=True, tag="connection-state-changed"):
    """Broker:Connection, for an outgoing connection."""

    address: TcpAddress
    state: LinkState
    peer: InstanceName | None
    error: int | None
    detail: str


class BrokerLoginAudited(EventBase, frozen=True, tag="broker-login-audited"):
    """Audit Broker Login: a handshake has ended, on this end."""

    login: LoginEnded


class DatabaseBrokerChanged(EventBase, frozen=True, tag="database-broker-changed"):
    """A database was born, attached or restored, or its broker was switched or renewed (identity.md 3-5)."""

    database: DatabaseName
    broker_instance: BrokerInstanceId
    is_enabled: bool
    number: int | None
    """Why it is off although nobody switched it off (9723, 9772, 9773, 9774)."""
    text: str


class DatabaseMirroringStateChanged(EventBase, frozen=True, tag="database-mirroring-state-changed"):
    """Database Mirroring State Change: a mirrored database of this instance has taken a role (mirroring.md 3)."""

    database: DatabaseName
    role: MirroringRole


class MirroredRouteStateChanged(EventBase, frozen=True, tag="mirrored-route-state-changed"):
    """Broker:Mirrored Route State Changed: the principal of an active mirrored route was found, lost or has moved.

    Reports both connections; A is the address, M the mirror address (mirroring.md 4).
    """

    route: RouteName
    service: ServiceName
    broker_instance: BrokerInstanceId
    address: TcpAddress
    mirror_address: TcpAddress
    state: MirrorState
    address_state: PartnerState
    mirror_address_state: PartnerState
    principal: TcpAddress | None
    """The partner believed to be the principal, reachable or not."""
    error: int | None
    """Why a partner cannot be reached; of two the later one."""
    detail: str
    are_both_principal: bool
    """A warning: service was forced while the old principal lives on. Messages go to the last one that claimed it."""


class RouteRequested(EventBase, frozen=True, tag="route-requested"):
    """The configuration service was asked for the route of a service (MissingRoute, routing.md 6)."""

    database: DatabaseName
    service: ServiceName
    conversation_handle: ConversationHandle


class RouteRequestEnded(EventBase, frozen=True, tag="route-request-ended"):
    """The configuration service ended the request's dialog; with an error the text is its own (9761)."""

    database: DatabaseName
    service: ServiceName
    error: str | None = None


class BindingRequested(EventBase, frozen=True, tag="binding-requested"):
    """The configuration service was asked for a binding (MissingRemoteServiceBinding, routing.md 6.9)."""

    database: DatabaseName
    service: ServiceName
    conversation_handle: ConversationHandle


class BindingRequestEnded(EventBase, frozen=True, tag="binding-request-ended"):
    """The configuration service ended that request's dialog; with an error the text is its own (9761)."""

    database: DatabaseName
    service: ServiceName
    error: str | None = None


class QueueSwitched(EventBase, frozen=True, tag="queue-switched"):
    """A queue was enabled or disabled."""

    database: DatabaseName
    queue: QueueName
    is_enabled: bool


class QueueDisabled(EventBase, frozen=True, tag="queue-disabled"):
    """Broker:Queue Disabled: poison messages; so many transactions in a row received and were rolled back."""

    database: DatabaseName
    queue: QueueName
    rollbacks: int


class QueueActivation(EventBase, frozen=True, tag="queue-activation"):
    """Broker:Activation: a reader was started, ended, was aborted with a number, or was called by event."""

    database: DatabaseName
    queue: QueueName
    subclass: ActivationSubclass
    procedure_name: str | None
    """None for readers that are called by event."""
    active_tasks: int
    """Readers that run on the queue after this."""
    number: int | None = None
    text: str = ""


class ConversationTimerFired(EventBase, frozen=True, tag="conversation-timer-fired"):
    """A conversation timer ran out; the DialogTimer message is in the conversation's own queue."""

    database: DatabaseName
    conversation_handle: ConversationHandle


class CatalogApplied(EventBase, frozen=True, tag="catalog-applied"):
    """The instance has reached this revision of the desired topology."""

    revision: CatalogRevision


BrokerEvent = (
    MessageClassified
    | ConversationStateChanged
    | ConversationGroupChanged
    | MessageQueuedForTransmission
    | MessageSentDirectly
    | TransmissionStatusChanged
    | RemoteMessageAcknowledged
    | RemoteAcknowledgementSent
    | MessageDelivered
    | MessagesTaken
    | TransactionRolledBack
    | MessageUndeliverable
    | MessageCorrupted
    | ConversationAudited
    | ForwardedMessageSent
    | ForwardedMessageDropped
    | ConnectionStateChanged
    | BrokerLoginAudited
    | DatabaseBrokerChanged
    | DatabaseMirroringStateChanged
    | MirroredRouteStateChanged
    | RouteRequested
    | RouteRequestEnded
    | BindingRequested
    | BindingRequestEnded
    | QueueSwitched
    | QueueDisabled
    | QueueActivation
    | ConversationTimerFired
    | InstanceStarted
    | ConversationTouched
    | QueueTouched
    | TransmissionRetryAsked
    | ForwardedMessagesWait
    | CatalogApplied
)
