"""The document of the collector as values: rows of catalog views under the vendor's names (views.md 1).

FOR JSON leaves out what is NULL, and the whole list when a view has no row. Ids are the server's; they are only
used to find names.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Final
from uuid import UUID

import msgspec

from engine.collection.unwrapping import FORMAT, unwrapped
from engine.contracts.misfits import misfit_of
from engine.core.vocabulary.errors import CatalogError

VERSION: Final = 1


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """A row of a view."""


class _Named(_Row, frozen=True, kw_only=True):
    name: str


class SchemaRow(_Named, frozen=True, kw_only=True):
    """Of sys.schemas."""

    schema_id: int


class XmlSchemaCollectionRow(_Named, frozen=True, kw_only=True):
    """Of sys.xml_schema_collections."""

    xml_collection_id: int
    schema_id: int


class PrincipalRow(_Named, frozen=True, kw_only=True):
    """A user or role of a database, or a login of the server."""

    principal_id: int
    type: str
    sid: str | None = None
    """base64; the same for a login and its users."""


class PermissionRow(_Row, frozen=True, kw_only=True):
    """Of sys.database_permissions or sys.server_permissions."""

    class_: int = msgspec.field(name="class")
    major_id: int
    grantee_principal_id: int
    permission_name: str
    state: str
    """G granted, W with the right to grant, D denied, R revoked."""


class MessageTypeRow(_Named, frozen=True, kw_only=True):
    """Of sys.service_message_types."""

    message_type_id: int
    principal_id: int | None = None
    validation: str
    xml_collection_id: int | None = None


class ContractRow(_Named, frozen=True, kw_only=True):
    """Of sys.service_contracts."""

    service_contract_id: int
    principal_id: int | None = None


class ContractUseRow(_Row, frozen=True, kw_only=True):
    """Of sys.service_contract_message_usages."""

    service_contract_id: int
    message_type_id: int
    is_sent_by_initiator: bool
    is_sent_by_target: bool


class QueueRow(_Named, frozen=True, kw_only=True):
    """Of sys.service_queues."""

    object_id: int
    schema_id: int
    is_ms_shipped: bool
    max_readers: int | None = None
    activation_procedure: str | None = None
    execute_as_principal_id: int | None = None
    is_activation_enabled: bool
    is_receive_enabled: bool
    is_enqueue_enabled: bool
    is_retention_enabled: bool
    is_poison_message_handling_enabled: bool | None = None


class ServiceRow(_Named, frozen=True, kw_only=True):
    """Of sys.services."""

    service_id: int
    principal_id: int | None = None
    service_queue_id: int


class ServiceContractRow(_Row, frozen=True, kw_only=True):
    """Of sys.service_contract_usages."""

    service_id: int
    service_contract_id: int


class RouteRow(_Named, frozen=True, kw_only=True):
    """Of sys.routes."""

    route_id: int
    remote_service_name: str | None = None
    broker_instance: str | None = None
    lifetime: str | None = None
    """UTC, without saying so."""
    address: str | None = None
    mirror_address: str | None = None


class BindingRow(_Named, frozen=True, kw_only=True):
    """Of sys.remote_service_bindings."""

    remote_service_binding_id: int
    principal_id: int | None = None
    remote_service_name: str | None = None
    remote_principal_id: int | None = None
    is_anonymous_on: bool


class PriorityRow(_Named, frozen=True, kw_only=True):
    """Of sys.conversation_priorities."""

    priority_id: int
    service_contract_id: int | None = None
    local_service_id: int | None = None
    remote_service_name: str | None = None
    priority: int


class CertificateRow(_Named, frozen=True, kw_only=True):
    """Of sys.certificates."""

    certificate_id: int
    principal_id: int | None = None
    pvt_key_encryption_type: str
    is_active_for_begin_dialog: bool | None = None
    encoded: str | None = None
    """base64 of the public part, as CERTENCODED gives it."""

    @property
    def data(self) -> bytes:
        """The certificate, DER; `ValueError` when it is no base64."""
        return b64decode(self.encoded or "", validate=True)


class TransmissionRow(_Row, frozen=True, kw_only=True):
    """How many messages wait for one service with one status."""

    to_service_name: str | None = None
    transmission_status: str | None = None
    messages: int
    oldest: str


class MirroringRow(_Row, frozen=True, kw_only=True):
    """Of sys.database_mirroring."""

    mirroring_role: int | None = None
    """1 principal, 2 mirror."""
    mirroring_partner_name: str | None = None


class DatabaseViews(_Row, frozen=True, kw_only=True):
    """What is defined in one database."""

    schemas: tuple[SchemaRow, ...] = ()
    xml_schema_collections: tuple[XmlSchemaCollectionRow, ...] = ()
    database_principals: tuple[PrincipalRow, ...] = ()
    database_permissions: tuple[PermissionRow, ...] = ()
    service_message_types: tuple[MessageTypeRow, ...] = ()
    service_contracts: tuple[ContractRow, ...] = ()
    service_contract_message_usages: tuple[ContractUseRow, ...] = ()
    service_queues: tuple[QueueRow, ...] = ()
    services: tuple[ServiceRow, ...] = ()
    service_contract_usages: tuple[ServiceContractRow, ...] = ()
    routes: tuple[RouteRow, ...] = ()
    remote_service_bindings: tuple[BindingRow, ...] = ()
    conversation_priorities: tuple[PriorityRow, ...] = ()
    certificates: tuple[CertificateRow, ...] = ()
    transmission_queue: tuple[TransmissionRow, ...] = ()


class DatabaseRow(_Named, frozen=True, kw_only=True):
    """One database; `sys` is None when nobody could look into it, and `problem` says why."""

    database_id: int
    service_broker_guid: UUID
    is_broker_enabled: bool
    is_honor_broker_priority_on: bool = False
    state: int = 0
    """0 online, 1 restoring, 6 offline; the others are kinds of trouble."""
    is_read_only: bool = False
    user_access: int = 0
    """1 is SINGLE_USER."""
    database_mirroring: tuple[MirroringRow, ...] = ()
    problem: str | None = None
    sys: DatabaseViews | None = None


class BrokerEndpointRow(_Named, frozen=True, kw_only=True):
    """Of sys.service_broker_endpoints."""

    endpoint_id: int
    state_desc: str
    is_message_forwarding_enabled: bool
    message_forwarding_size: int
    connection_auth_desc: str
    certificate_id: int | None = None
    encryption_algorithm_desc: str


class TcpEndpointRow(_Row, frozen=True, kw_only=True):
    """Of sys.tcp_endpoints."""

    endpoint_id: int
    port: int
    ip_address: str | None = None


class Document(_Row, frozen=True, kw_only=True):
    """One server at one instant."""

    format: str
    format_version: int
    server_name: str
    machine_name: str | None = None
    product_version: str | None = None
    collected_at: str
    """UTC, without saying so."""
    service_broker_endpoints: tuple[BrokerEndpointRow, ...] = ()
    tcp_endpoints: tuple[TcpEndpointRow, ...] = ()
    server_principals: tuple[PrincipalRow, ...] = ()
    server_permissions: tuple[PermissionRow, ...] = ()
    databases: tuple[DatabaseRow, ...] = ()


class _VersionOnly(msgspec.Struct, frozen=True):
    """What every version of every such format has, whatever else."""

    format: str
    format_version: int


_versions: Final = msgspec.json.Decoder(_VersionOnly)
_documents: Final = msgspec.json.Decoder(Document)


def read_document(text: str) -> Document:
    """The document in a file, whatever a tool has put around it.

    Raises `CatalogError`: 13609 no JSON, or cut off; 13608 a value is missing, unknown or of another kind, with its
    place; 13610 another format, or a later version of it.
    """
    data = unwrapped(text).encode("utf-8", "backslashreplace")
    try:
        known = _versions.decode(data)
        if known.format != FORMAT or known.format_version != VERSION:
            raise CatalogError(13610, value=f"{known.format} {known.format_version}", expected=f"{FORMAT} {VERSION}")
        return _documents.decode(data)
    except msgspec.ValidationError as error:
        detail, place = misfit_of(error)
        raise CatalogError(13608, name=place, detail=detail) from None
    except msgspec.DecodeError as error:
        raise CatalogError(13609, detail=str(error)) from None
    except RecursionError:
        raise CatalogError(13609, detail="it is nested too deeply") from None
