"""Shapes of the topology, as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import StrictBool, StrictInt

from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.api.change_set_schemas import DraftObjectOut, DraftTag

AddressKind = Literal["local", "transport", "tcp"]


class PermissionOut(Shape):
    """SEND on a service or RECEIVE on a queue, granted or denied to a user or to public."""

    grantee: str
    is_denied: bool


class QueueOut(Shape):
    name: str
    is_enabled: bool
    is_retention_enabled: bool
    is_poison_message_handling_enabled: bool
    activation_procedure: str | None
    """Procedure of an ACTIVATION clause; null without one."""
    receive_permissions: list[PermissionOut]
    """RECEIVE, besides what dbo has."""


class ServiceOut(Shape):
    name: str
    queue: str
    contracts: list[str]
    owner: str
    send_permissions: list[PermissionOut]
    """SEND, besides what the owner and dbo have."""
    owner_may_receive: bool
    """Whether the owner has RECEIVE on the queue; without it, messages for the service are dropped (8401)."""


class ContractUseOut(Shape):
    message_type: str
    sent_by: Literal["INITIATOR", "TARGET", "ANY"]


class ContractOut(Shape):
    name: str
    uses: list[ContractUseOut]


class MessageTypeOut(Shape):
    name: str
    validation: Literal["NONE", "EMPTY", "WELL_FORMED_XML", "VALID_XML"]


class RouteOut(Shape):
    """A row of `sys.routes`; null in `service_name` or `broker_instance` matches everything."""

    name: str
    service_name: str | None
    broker_instance: UUID | None
    expires_at: datetime | None
    is_expired: bool
    address: str
    address_kind: AddressKind
    mirror_address: str | None
    target_instance: str | None
    """The instance of this estate at `address`; null for LOCAL, TRANSPORT and addresses of nobody here."""
    mirror_target_instance: str | None


class DatabaseOut(Shape):
    name: str
    broker_instance: UUID
    is_broker_enabled: bool
    state: Literal["online", "read_only", "single_user", "mirror", "offline"]
    partner_address: str | None
    users: list[str]
    """Users that somebody has made; every database has dbo and guest besides."""
    queues: list[QueueOut]
    services: list[ServiceOut]
    contracts: list[ContractOut]
    message_types: list[MessageTypeOut]
    routes: list[RouteOut]


Validity = Literal["not-yet-valid", "valid", "expires-soon", "expired"]


class ShownCertificateOut(Shape):
    """The certificate that an endpoint proves itself with."""

    name: str
    hindrance: Literal["missing", "no-private-key"] | None
    """Why it cannot be shown at all; null when it can."""
    validity: Validity | None
    """Null while it is missing."""
    starts_at: datetime | None
    expires_at: datetime | None


class KnownPeerOut(Shape):
    """A certificate of `master` by which somebody else is known."""

    certificate: str
    subject: str
    owner: str
    login: str | None
    """Who gets permissions in the owner's place; null for a user without login."""
    may_connect: bool
    validity: Validity
    expires_at: datetime


class ConnectPermissionOut(Shape):
    """CONNECT on the endpoint, granted or denied to a login or to public."""

    grantee: str
    is_denied: bool


class TrustOut(Shape):
    """Whom an endpoint shows itself as, and whom it lets in."""

    certificate: ShownCertificateOut | None
    """Null when AUTHENTICATION names none."""
    usable_certificates: list[str]
    """Certificates of `master` that the endpoint could show now."""
    peers: list[KnownPeerOut]
    lets_strangers_in: bool
    connect_permissions: list[ConnectPermissionOut]


class EndpointOut(Shape):
    name: str
    port: int
    state: Literal["STARTED", "STOPPED", "DISABLED"]
    listener_ip: str | None
    is_message_forwarding_enabled: bool
    message_forward_size_megabytes: int
    authentication: str
    encryption: str
    trust: TrustOut


class InstanceOut(Shape):
    name: str
    host_names: list[str]
    desired_revision: int
    applied_revision: int
    apply_error: str
    """Why the engine does not have the wanted revision; empty when there is nothing to say."""
    endpoint: EndpointOut | None
    databases: list[DatabaseOut]


class MirrorOut(Shape):
    """Two databases of one broker id that name each other as partner."""

    database: str
    broker_instance: UUID
    instances: list[str]


class SandboxClockOut(Shape):
    """What both clocks showed at one instant, and how fast the one of the sandbox goes since."""

    wall: float
    """UTC seconds, by the server."""
    utc: float
    """UTC seconds, as the machines of the sandbox showed then."""
    rate: float
    """0 stands still."""


class SandboxOut(Shape):
    """Whose simulation an estate is."""

    title: str
    owner: str
    utc: float
    """What its machines show now, UTC seconds."""
    clock: SandboxClockOut


class TopologyOut(Shape):
    """The wanted state of an estate, or what is defined in a sandbox."""

    name: str
    pace: float
    """Factor by which the protocol's waiting times are shortened; 1 is the documented pace."""
    key_suite: Literal["md5", "aes-256-gcm"]
    """How secure dialogs protect messages: `md5`, as documented, or `aes-256-gcm`."""
    revision: int
    state: str
    """A tag of what is wanted; the live view names it too, so that nobody reads the same state twice."""
    sandbox: SandboxOut | None
    """Null for an estate of people."""
    instances: list[InstanceOut]
    mirrors: list[MirrorOut]
    change_set: DraftTag | None
    """The change set whose outcome this is; null for what is live."""
    draft_objects: list[DraftObjectOut]
    """What the change set adds, changes and removes; empty for what is live."""


class EstateOut(Shape):
    name: str
    pace: float
    revision: int
    instances: list[str]


class RouteIn(Request):
    """The clauses of CREATE ROUTE as texts; the engine says what is wrong with them."""

    name: str
    address: str
    service_name: str | None = None
    broker_instance: str | None = None
    mirror_address: str | None = None
    lifetime_seconds: StrictInt | None = None
    """Counts from now; null never expires."""


class RoutePatch(Request):
    """Clauses to change: a clause that is absent stays, one that is null is taken away."""

    address: str | None = None
    service_name: str | None = None
    broker_instance: str | None = None
    mirror_address: str | None = None
    lifetime_seconds: StrictInt | None = None


class RevisionOut(Shape):
    """The revision that the estate has now; of a change in a change set, also how far that has come."""

    revision: int
    change_set: int | None = None
    """The change set that the change was made in; null for one that is live."""
    sequence: int | None = None
    """Of that change set, after the change."""


class RouteChanged(RevisionOut):
    route: RouteOut


class EndpointStateIn(Request):
    state: Literal["STARTED", "STOPPED", "DISABLED"]


class QueueActivationIn(Request):
    is_enabled: StrictBool


class EndpointPatch(Request):
    """Clauses to change, as T-SQL writes them; one that is absent stays."""

    authentication: str | None = None
    """`WINDOWS NEGOTIATE`, `CERTIFICATE [name]`, or both in the order in which they are tried."""
    encryption: str | None = None
    """`DISABLED`, or `SUPPORTED` or `REQUIRED` with `ALGORITHM AES`."""


class ConnectPermissionIn(Request):
    """GRANT, DENY or REVOKE CONNECT ON ENDPOINT."""

    grantee: str
    """A login of the instance, or public."""
    verb: Literal["GRANT", "DENY", "REVOKE"]


class PermissionIn(Request):
    """GRANT, DENY or REVOKE SEND ON SERVICE, or RECEIVE ON OBJECT."""

    grantee: str
    """A user of the database, or public."""
    verb: Literal["GRANT", "DENY", "REVOKE"]


class BrokerSwitchIn(Request):
    is_enabled: StrictBool


class KeySuiteIn(Request):
    """The dialog-security suite of an estate."""

    key_suite: Literal["md5", "aes-256-gcm"]
    """`md5`, as documented, or `aes-256-gcm`."""


class KeySuiteOut(Shape):
    key_suite: Literal["md5", "aes-256-gcm"]
    untold: list[str]
    """Instances that could not be reached: they have the suite from their next change on."""
