"""What DDL does to a catalog, as values: the T-SQL compiler makes them, forms make them, `revision.apply` obeys them.

Every change names the database it happens in, except those of host names, endpoint and logins, which belong to the
instance. The fields are the clauses of the statement; None means that the clause was not given.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import (
    BrokerPriority,
    Contract,
    Endpoint,
    EndpointState,
    EventNotification,
    MessageType,
    Queue,
    Service,
    Validation,
)
from engine.core.catalog.route import NetworkAddress, Route, RouteAddress
from engine.core.catalog.security_changes import PermissionSet, SecurityChange
from engine.core.catalog.server_changes import ServerChange
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    DatabaseName,
    EventNotificationName,
    MessageTypeName,
    PriorityName,
    QueueName,
    RouteName,
    ServiceName,
    UserName,
)
from engine.core.vocabulary.moment import UtcTime


class _Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="change"):
    """Common base; carries nothing."""


class HostNamesSet(_Change, frozen=True, tag="host-names-set"):
    """The further host names and addresses under which the server is known (routing.md E25); replaces the list."""

    host_names: tuple[str, ...]


class DatabaseCreated(_Change, frozen=True, tag="database-created"):
    """CREATE DATABASE. Born with the catch-all route `AutoCreatedLocal` and its broker on (routing.md 1.2).

    `master` has neither; a database whose broker id is active already on the instance is born with its broker off
    (identity.md 5, 9773).
    """

    database: DatabaseName
    broker_instance: BrokerInstanceId
    state: DatabaseState = DatabaseState.ONLINE


class DatabaseDropped(_Change, frozen=True, tag="database-dropped"):
    """DROP DATABASE."""

    database: DatabaseName


class BrokerSwitched(_Change, frozen=True, tag="broker-switched"):
    """ALTER DATABASE … SET ENABLE_BROKER or DISABLE_BROKER (identity.md 3)."""

    database: DatabaseName
    is_enabled: bool


class BrokerRenewed(_Change, frozen=True, tag="broker-renewed"):
    """ALTER DATABASE … SET NEW_BROKER: a new identity, every conversation ended (identity.md 3)."""

    database: DatabaseName
    broker_instance: BrokerInstanceId


class BrokerConversationsErrored(_Change, frozen=True, tag="broker-conversations-errored"):
    """ALTER DATABASE … SET ERROR_BROKER_CONVERSATIONS: each ends with -9719, the broker is on (identity.md 3)."""

    database: DatabaseName


class DatabaseStateSet(_Change, frozen=True, tag="database-state-set"):
    """The database went online, offline, read-only, single-user, or became a mirror copy."""

    database: DatabaseName
    state: DatabaseState


class PartnerSet(_Change, frozen=True, tag="partner-set"):
    """ALTER DATABASE … SET PARTNER = 'address' or OFF (None)."""

    database: DatabaseName
    partner_address: str | None


class MessageTypeCreated(_Change, frozen=True, tag="message-type-created"):
    """CREATE MESSAGE TYPE."""

    database: DatabaseName
    message_type: MessageType


class MessageTypeAltered(_Change, frozen=True, tag="message-type-altered"):
    """ALTER MESSAGE TYPE: only the validation can change."""

    database: DatabaseName
    name: MessageTypeName
    validation: Validation
    schema_collection: str | None = None


class MessageTypeDropped(_Change, frozen=True, tag="message-type-dropped"):
    """DROP MESSAGE TYPE; refused while a contract uses it."""

    database: DatabaseName
    name: MessageTypeName


class ContractCreated(_Change, frozen=True, tag="contract-created"):
    """CREATE CONTRACT."""

    database: DatabaseName
    contract: Contract


class ContractDropped(_Change, frozen=True, tag="contract-dropped"):
    """DROP CONTRACT; refused while a service uses it."""

    database: DatabaseName
    name: ContractName


class QueueCreated(_Change, frozen=True, tag="queue-created"):
    """CREATE QUEUE. Born with RECEIVE for public, whatever the value says; `PermissionSet` changes that."""

    database: DatabaseName
    queue: Queue


class ActivationPatch(msgspec.Struct, frozen=True, kw_only=True):
    """ACTIVATION members of ALTER QUEUE; those not given stay as they are."""

    procedure_name: str | None = None
    max_queue_readers: int | None = None
    execute_as: str | None = None
    is_enabled: bool | None = None


class QueueAltered(_Change, frozen=True, tag="queue-altered"):
    """ALTER QUEUE … WITH: clauses not given stay as they are."""

    database: DatabaseName
    name: QueueName
    is_enabled: bool | None = None
    is_retention_enabled: bool | None = None
    is_poison_message_handling_enabled: bool | None = None
    activation: ActivationPatch | None = None
    drops_activation: bool = False


class QueueDropped(_Change, frozen=True, tag="queue-dropped"):
    """DROP QUEUE; refused while a service uses it."""

    database: DatabaseName
    name: QueueName


class PriorityCreated(_Change, frozen=True, tag="priority-created"):
    """CREATE BROKER PRIORITY."""

    database: DatabaseName
    priority: BrokerPriority


class PriorityAltered(_Change, frozen=True, tag="priority-altered"):
    """ALTER BROKER PRIORITY: clauses not given stay, ANY takes a criterion away; only new endpoints notice."""

    database: DatabaseName
    name: PriorityName
    contract: ContractName | None = None
    local_service: ServiceName | None = None
    remote_service: ServiceName | None = None
    level: int | None = None


class PriorityDropped(_Change, frozen=True, tag="priority-dropped"):
    """DROP BROKER PRIORITY."""

    database: DatabaseName
    name: PriorityName


class PriorityHonoured(_Change, frozen=True, tag="priority-honoured"):
    """ALTER DATABASE … SET HONOR_BROKER_PRIORITY: whether sending goes by priority (protocol.md 11)."""

    database: DatabaseName
    is_honoured: bool


class TrustworthySet(_Change, frozen=True, tag="trustworthy-set"):
    """ALTER DATABASE … SET TRUSTWORTHY: whether the instance trusts the database and what is in it."""

    database: DatabaseName
    is_trustworthy: bool


class EventNotificationCreated(_Change, frozen=True, tag="event-notification-created"):
    """CREATE EVENT NOTIFICATION … ON QUEUE."""

    database: DatabaseName
    notification: EventNotification


class EventNotificationDropped(_Change, frozen=True, tag="event-notification-dropped"):
    """DROP EVENT NOTIFICATION … ON QUEUE; its queue takes it along. One of another queue than `queue` stays (3811)."""

    database: DatabaseName
    name: EventNotificationName
    queue: QueueName | None = None
    """None is whichever queue it is on."""
    may_be_gone: bool = False
    """Whether its absence is as good: an instance withdraws a notification whose conversation broke (tsql.md 11)."""


class ServiceCreated(_Change, frozen=True, tag="service-created"):
    """CREATE SERVICE. Born with SEND for public, whatever the value says; `PermissionSet` changes that."""

    database: DatabaseName
    service: Service


class ServiceAltered(_Change, frozen=True, tag="service-altered"):
    """ALTER SERVICE: another queue, contracts added or dropped; without any of them it is refused (8493).

    `owner` is ALTER AUTHORIZATION ON SERVICE.
    """

    database: DatabaseName
    name: ServiceName
    queue: QueueName | None = None
    adds: tuple[ContractName, ...] = ()
    drops: tuple[ContractName, ...] = ()
    owner: UserName | None = None


class ServiceDropped(_Change, frozen=True, tag="service-dropped"):
    """DROP SERVICE."""

    database: DatabaseName
    name: ServiceName


class RouteCreated(_Change, frozen=True, tag="route-created"):
    """CREATE ROUTE. `route.expires_at` is already an instant: LIFETIME counts from the statement (routing.md 8)."""

    database: DatabaseName
    route: Route


class RouteAltered(_Change, frozen=True, tag="route-altered"):
    """ALTER ROUTE: clauses not given stay; a clause cannot be taken away again (tsql.md 1)."""

    database: DatabaseName
    name: RouteName
    address: RouteAddress | None = None
    service_name: ServiceName | None = None
    broker_instance: BrokerInstanceId | None = None
    expires_at: UtcTime | None = None
    mirror_address: NetworkAddress | None = None


class RouteDropped(_Change, frozen=True, tag="route-dropped"):
    """DROP ROUTE; allowed while conversations use it (routing.md 7)."""

    database: DatabaseName
    name: RouteName


class EndpointCreated(_Change, frozen=True, tag="endpoint-created"):
    """CREATE ENDPOINT … FOR SERVICE_BROKER; at most one per instance (7862)."""

    endpoint: Endpoint


class EndpointAltered(_Change, frozen=True, tag="endpoint-altered"):
    """ALTER ENDPOINT: clauses not given stay."""

    name: str
    state: EndpointState | None = None
    port: int | None = None
    listener_ip: str | None = None
    """ALL listens on every address again."""
    is_message_forwarding_enabled: bool | None = None
    message_forward_size_megabytes: int | None = None
    authentication: str | None = None
    encryption: str | None = None


class EndpointDropped(_Change, frozen=True, tag="endpoint-dropped"):
    """DROP ENDPOINT."""

    name: str


CatalogChange = (
    HostNamesSet
    | DatabaseCreated
    | DatabaseDropped
    | BrokerSwitched
    | BrokerRenewed
    | BrokerConversationsErrored
    | DatabaseStateSet
    | PartnerSet
    | MessageTypeCreated
    | MessageTypeAltered
    | MessageTypeDropped
    | ContractCreated
    | ContractDropped
    | QueueCreated
    | QueueAltered
    | QueueDropped
    | PriorityCreated
    | PriorityAltered
    | PriorityDropped
    | PriorityHonoured
    | TrustworthySet
    | EventNotificationCreated
    | EventNotificationDropped
    | ServiceCreated
    | ServiceAltered
    | ServiceDropped
    | RouteCreated
    | RouteAltered
    | RouteDropped
    | EndpointCreated
    | EndpointAltered
    | EndpointDropped
    | ServerChange
    | SecurityChange
    | PermissionSet
)
