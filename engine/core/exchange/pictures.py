"""Pictures: what a view of an instance shows at one event, and what of it has changed since an earlier one (ADR 25).

A query names a view, what is wanted of it, and the event that the asker has seen last. The answer is `Unchanged`, what
has changed since then, or the whole. Whoever follows a view holds rows by their keys and puts together what comes:

- `is_whole`: `rows` are all there is to hold, in order; whatever was held before is to be forgotten;
- otherwise the keys in `gone` leave, and every key of which the part behind the first blank is in `cleared`; then
  `rows` are put in under their keys. A follower that holds fewer rows than it may while `has_more` asks for the whole.

Sums stand for the whole view whatever `rows_max` is. Nothing of a picture changes without an event, but for what the
clock alone changes, which is told as of `at`, and for counters, which are samples.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    ConversationHandle,
    DatabaseName,
    EventSequence,
    InstanceName,
    QueueName,
    RouteName,
    ServiceName,
)
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.mirrors import MirrorState
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationState

PictureCell = None | bool | int | float | str
"""One value: a time is UTC seconds, an id canonical text, binary 0x and digits, NULL None."""

ROWS_MAX_DEFAULT: Final = 200


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────────────────
class _Query(msgspec.Struct, frozen=True, kw_only=True, tag_field="view"):
    """Common base."""

    since: EventSequence | None = None
    """`sequence` of the picture that the asker has; None for the whole."""


class _TableQuery(_Query, frozen=True, kw_only=True):
    """A view with rows."""

    rows_max: int = ROWS_MAX_DEFAULT
    """At least 1 (10744); at most `limits.PICTURE_ROWS_MAX` are given."""


class SummaryQuery(_Query, frozen=True, tag="summary"):
    """The instance at a glance: the health ladder, totals, and what is worst."""


class ConversationOrder(StrEnum):
    """By the making of the endpoints; where `states` has rarer ones only, by when they came into them."""

    NEWEST = "newest"
    ELDEST = "eldest"


class ClosedKind(StrEnum):
    """What a CLOSED endpoint waits for (protocol.md 8.5); as of the picture's `at`."""

    RETAINED = "retained"
    """The time in which it guards against copies of its first message."""
    OVERDUE = "overdue"
    """Nothing: its time is over, and its database is out of reach or busy."""
    LEAKED = "leaked"
    """The end of a lifetime that is not over: nobody has armed its guard, as after fire and forget (SBD-610)."""


class ConversationsQuery(_TableQuery, frozen=True, tag="conversations"):
    """Sides of conversations (`sys.conversation_endpoints`)."""

    database: DatabaseName | None = None
    """None for all of the instance; 911."""
    states: tuple[ConversationState, ...] = ()
    """None are all."""
    closed: ClosedKind | None = None
    """Of those that are CLOSED only these; all others are left out."""
    service: ServiceName | None = None
    far_service: ServiceName | None = None
    conversation_handle: ConversationHandle | None = None
    text: str = ""
    """Somewhere in services, contract, handle, conversation id or group, in any letter case."""
    order: ConversationOrder = ConversationOrder.NEWEST


class TransmissionsQuery(_TableQuery, frozen=True, tag="transmissions"):
    """Messages that wait for transmission or their acknowledgement (`sys.transmission_queue`), the oldest first."""

    database: DatabaseName | None = None
    numbers: tuple[int | None, ...] = ()
    """Numbers of transmission statuses; None among them is no status; none at all are all."""
    from_service: ServiceName | None = None
    to_service: ServiceName | None = None
    conversation_handle: ConversationHandle | None = None
    text: str = ""
    """Somewhere in services, contract, message type, handle or status, in any letter case."""


class ForwardedMessagesQuery(_TableQuery, frozen=True, tag="forwarded-messages"):
    """Messages in transit (`sys.dm_broker_forwarded_messages`)."""


class QueuesQuery(_TableQuery, frozen=True, tag="queues"):
    """Queues with their monitors, readers and poison (`sys.service_queues`, `sys.dm_broker_queue_monitors`)."""

    database: DatabaseName | None = None


class ConnectionsQuery(_TableQuery, frozen=True, tag="connections"):
    """Connections (`sys.dm_broker_connections`), and addresses to which there is none."""


class MirroredRoutesQuery(_TableQuery, frozen=True, tag="mirrored-routes"):
    """What is known of the partners of mirrored routes (mirroring.md 4)."""


class CountersQuery(_TableQuery, frozen=True, tag="counters"):
    """Performance counters (`sys.dm_os_performance_counters`): samples, which change without events."""


PictureQuery = (
    SummaryQuery
    | ConversationsQuery
    | TransmissionsQuery
    | ForwardedMessagesQuery
    | QueuesQuery
    | ConnectionsQuery
    | MirroredRoutesQuery
    | CountersQuery
)


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────
class _Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="picture"):
    """Common base."""

    sequence: EventSequence
    """The event after which it is true: what the next query gives as `since`."""
    at: UtcTime
    """As of when the clock's share is told; a whole second."""


class Unchanged(_Answer, frozen=True, tag="unchanged"):
    """Nothing has happened to the view since; sums that depend on the clock may differ."""


class PictureColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a view: the vendor's, under the vendor's name, or ours."""

    name: str
    type: str
    """SQL type with its length."""
    nullable: bool
    is_vendors: bool = True


class PictureRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A row: its key, which stays as long as it does, and its cells in the order of the columns."""

    key: str
    cells: tuple[PictureCell, ...]


class _Table(_Answer, frozen=True, kw_only=True):
    """A view with rows."""

    is_whole: bool
    columns: tuple[PictureColumn, ...]
    """Of a whole picture; of changes, which have the same ones, none."""
    rows: tuple[PictureRow, ...]
    gone: tuple[str, ...] = ()
    """Keys of rows that are not in the view, or do not pass the filters any more; they may never have been held."""
    cleared: tuple[str, ...] = ()
    """Ends of keys, behind the first blank: every such row leaves before `rows` are put in."""
    has_more: bool = False
    """More rows pass the filters than were given; where `total` is None, more may do so."""
    total: int | None = None
    """How many rows pass the filters; None where that would take a look at each."""


class ConversationSums(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation endpoints of a database."""

    database: DatabaseName
    total: int
    by_state: dict[ConversationState, int]
    """States that none is in are left out."""
    closed: dict[ClosedKind, int]
    """Those that are CLOSED, by what they wait for; all three kinds."""


class TransmissionGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of a database that wait for the same reason."""

    database: DatabaseName
    number: int | None
    """The status number; None = not tried yet, or sent and not acknowledged yet."""
    messages: int
    conversations: int
    oldest: UtcTime
    """When the one that waits longest was put there."""
    text: str
    """The status of a conversation of the oldest."""


class TransmissionLeft(msgspec.Struct, frozen=True, kw_only=True):
    """The last message of a database that left its transmission queue for having arrived."""

    database: DatabaseName
    at: UtcTime
    """When it was acknowledged, or let into the queue that had been off; whole seconds."""


class ConversationsPicture(_Table, frozen=True, kw_only=True, tag="conversations"):
    """Keys: handle and database."""

    sums: tuple[ConversationSums, ...]
    """Of each database that is asked about, whatever the other filters."""


class TransmissionsPicture(_Table, frozen=True, kw_only=True, tag="transmissions"):
    """Keys: number, handle and database; of what waits for a queue that is off the place stands for the number.

    Bodies are read by `sys.transmission_queue`, here is their size.
    """

    groups: tuple[TransmissionGroup, ...]
    """Of each database that is asked about, whatever the other filters; the largest first."""
    left: tuple[TransmissionLeft, ...]
    """Of each database that is asked about and from which any has left since `started_at`."""
    started_at: UtcTime | None
    """When the instance was started, which knows nothing from before; None before its host has said so."""


class ForwardDrops(msgspec.Struct, frozen=True, kw_only=True):
    """Messages in transit that were dropped for one reason since the instance was started (protocol.md 7.4)."""

    number: int
    messages: int
    last_at: UtcTime
    text: str
    """Of the last one."""


class ForwardedMessagesPicture(_Table, frozen=True, kw_only=True, tag="forwarded-messages"):
    """Keys: conversation, side, number, fragment and kind."""

    is_enabled: bool
    messages: int
    bytes: int
    bytes_max: int
    """MESSAGE_FORWARD_SIZE; 0 without an endpoint."""
    messages_max: int
    """However small they are."""
    drops: tuple[ForwardDrops, ...]
    """The reason of most first."""


class QueuesPicture(_Table, frozen=True, kw_only=True, tag="queues"):
    """Keys: database and queue."""


class ConnectionsPicture(_Table, frozen=True, kw_only=True, tag="connections"):
    """Keys: connection id. Bytes, messages and last activity are samples."""


class MirroredRoutesPicture(_Table, frozen=True, kw_only=True, tag="mirrored-routes"):
    """Keys: service, broker id and both addresses."""


class CountersPicture(_Table, frozen=True, kw_only=True, tag="counters"):
    """Keys: object, counter and instance. Always whole."""


# ── the summary ──────────────────────────────────────────────────────────────────────────────────────────────────────
class RouteUse(msgspec.Struct, frozen=True, kw_only=True):
    """The messages that take one route, which is used; since the instance was started.

    The messages in transit of a forwarder are known by their next hop: they count for each route of msdb to it.
    """

    route: RouteName
    conversations: int
    """Those with messages that wait for transmission or their acknowledgement."""
    messages: int
    """Messages that wait for transmission or their acknowledgement."""
    blocked: int
    """Messages of these that wait for a reason that has a number."""
    number: int | None
    """The number for which the most of them wait; None where none has one."""
    oldest: UtcTime | None
    """When the message that waits longest was put there; None of messages in transit."""
    delivered: int
    """Messages that arrived, as acknowledgements say, or that a forwarder passed on."""


class DatabaseSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One database at a glance."""

    name: DatabaseName
    broker_instance: BrokerInstanceId
    is_broker_enabled: bool
    state: DatabaseState
    number: int | None
    """Why nothing moves in it (identity.md 2); None when it does."""
    conversations: ConversationSums
    transmission: int
    """Messages in its transmission queue."""
    oldest: UtcTime | None
    """When the message that waits longest in it was put there."""
    blocked: int
    """Messages of these that wait for a reason that has a number."""
    ready: int
    """Messages in queues that wait to be received."""
    disabled_queues: tuple[QueueName, ...]
    poisoned_queues: tuple[QueueName, ...]
    """Those of the disabled ones that poison messages have switched off since the instance was started."""
    readers: int
    """Readers that activation has started and that run."""
    busy_queues: tuple[QueueName, ...]
    """Queues with messages to be received and as many readers as MAX_QUEUE_READERS allows (SBD-619)."""
    routes: tuple[RouteUse, ...] = ()
    """Its routes that messages take or have taken; routes that no message has taken are left out."""


class MirrorSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One mirrored route at a glance."""

    route: RouteName
    service: ServiceName
    state: MirrorState
    principal: str | None
    are_both_principal: bool


class HappeningCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What has gone wrong since the instance was started, each of it told by an event.

    Copies of messages that are here already are no trouble: whoever waits for an acknowledgement repeats
    (protocol.md 3.5). The performance counters count them, as the vendor's do; these do not.
    """

    dropped: int
    """Arrived, and nobody here takes them."""
    corrupted: int
    forwards_dropped: int
    """Not passed on towards their target."""
    rollbacks: int
    activation_errors: int


class SummaryPicture(_Answer, frozen=True, kw_only=True, tag="summary"):
    """The instance at a glance; always whole."""

    name: InstanceName
    revision: CatalogRevision
    endpoint_state: EndpointState | None
    """None when the instance has no broker endpoint."""
    listening_port: int | None
    """None when nothing listens."""
    listening_error: str
    databases: tuple[DatabaseSummary, ...]
    connections: dict[LinkState, int]
    """Outgoing connections, by the state that was told last."""
    failing_connections: tuple[str, ...]
    """Addresses to which there is none because of an error."""
    forwarded_messages: int
    forwarded_bytes: int
    mirrors: tuple[MirrorSummary, ...]
    counts: HappeningCounts


Picture = (
    Unchanged
    | SummaryPicture
    | ConversationsPicture
    | TransmissionsPicture
    | ForwardedMessagesPicture
    | QueuesPicture
    | ConnectionsPicture
    | MirroredRoutesPicture
    | CountersPicture
)
