"""Rows of a database's catalog views as the objects they stand for (views.md 1; tsql.md 1-7).

A row that stands for no possible object raises `CatalogError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from engine.collection.document import (
    BindingRow,
    CertificateRow,
    DatabaseRow,
    MessageTypeRow,
    PriorityRow,
    QueueRow,
    RouteRow,
    ServiceRow,
)
from engine.collection.names import Names
from engine.core.catalog.address import parse_broker_instance, parse_route_address
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import (
    Activation,
    BrokerPriority,
    Contract,
    ContractUse,
    MessageType,
    Queue,
    SentBy,
    Service,
)
from engine.core.catalog.route import Route
from engine.core.catalog.route_rules import parse_mirror_address, parse_service_name
from engine.core.catalog.security import Certificate, RemoteServiceBinding
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import (
    CertificateName,
    ContractName,
    MessageTypeName,
    PriorityName,
    QueueName,
    RemoteServiceBindingName,
    RouteName,
    ServiceName,
    UserName,
    known_id,
)
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.part_names import joined, parts_of

_ONLINE: Final = 0
_SINGLE_USER: Final = 1
_MIRROR: Final = 2
_OWNER: Final = -2
"""`execute_as_principal_id` of EXECUTE AS OWNER."""


def state_of(row: DatabaseRow) -> DatabaseState:
    """What of a database's state takes its services out of reach (routing.md 3.3)."""
    if any(mirroring.mirroring_role == _MIRROR for mirroring in row.database_mirroring):
        return DatabaseState.MIRROR
    if row.state != _ONLINE:
        return DatabaseState.OFFLINE
    if row.user_access == _SINGLE_USER:
        return DatabaseState.SINGLE_USER
    return DatabaseState.READ_ONLY if row.is_read_only else DatabaseState.ONLINE


def message_type_of(row: MessageTypeRow, names: Names) -> MessageType:
    """A message type and how its bodies are validated."""
    validation, collection = names.validation(row)
    return MessageType(MessageTypeName(row.name), validation, collection)


def contract_of(name: str, uses: Iterable[tuple[str, SentBy]]) -> Contract:
    """A contract and who sends what under it."""
    return Contract(ContractName(name), tuple(ContractUse(MessageTypeName(used), by) for used, by in uses))


def queue_of(row: QueueRow, names: Names) -> Queue:
    """A queue; it has activation where it names a procedure."""
    if "." in (schema := names.schema(row)):
        detail = "the schema of a queue has no dot in its name here"
        raise CatalogError(153, value=f"Schema {schema}", name=row.name, detail=detail)
    activation = None
    if row.activation_procedure:
        number = row.execute_as_principal_id
        who = "OWNER" if number == _OWNER else "SELF" if number is None else _user(row, names.principal(number))
        procedure = joined(parts_of(row.activation_procedure))
        activation = Activation(procedure, row.max_readers or 0, who, row.is_activation_enabled)
    return Queue(
        name=QueueName(names.queue(row)),
        is_enabled=row.is_receive_enabled,
        is_retention_enabled=row.is_retention_enabled,
        is_poison_message_handling_enabled=row.is_poison_message_handling_enabled is not False,
        activation=activation,
    )


def _user(queue: QueueRow, name: str) -> str:
    """The user of EXECUTE AS; one who is called like a keyword would be taken for it (153)."""
    if name.upper() in ("SELF", "OWNER"):
        detail = "a user of that name cannot be told from the keyword"
        raise CatalogError(153, value=f"EXECUTE AS '{name}'", name=queue.name, detail=detail)
    return name


def service_of(row: ServiceRow, contracts: Sequence[str], owner: UserName, names: Names) -> Service:
    """A service on its queue; 15151 when nobody may see the queue."""
    queue = names.queues.get(row.service_queue_id)
    if queue is None:
        raise CatalogError(15151, value="queue", name=f"object_id {row.service_queue_id}", database="this database")
    return Service(ServiceName(row.name), QueueName(queue), tuple(map(ContractName, contracts)), owner)


def route_of(row: RouteRow) -> tuple[Route, tuple[str, ...]]:
    """A route, and warnings about its address; one without port is what the server uses (routing.md E21)."""
    address, warnings = parse_route_address(row.address or "", port_required=False)
    mirror = None
    if row.mirror_address is not None:
        mirror, more = parse_mirror_address(row.name, row.mirror_address, port_required=False)
        warnings += more
    broker = None if row.broker_instance is None else known_id(parse_broker_instance(row.broker_instance))
    service = None if row.remote_service_name is None else parse_service_name(row.remote_service_name)
    expires_at = None if row.lifetime is None else instant_of(row.lifetime)
    route = Route(
        name=RouteName(row.name),
        address=address,
        service_name=service,
        broker_instance=broker,
        expires_at=expires_at,
        mirror_address=mirror,
    )
    return route, warnings


def instant_of(text: str) -> UtcTime:
    """A datetime as FOR JSON writes it; the catalog's are UTC."""
    try:
        return UtcTime(round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp(), 3))
    except ValueError:
        raise CatalogError(153, value=f"'{text}'", name="lifetime", detail="it is no datetime") from None


def priority_of(row: PriorityRow, names: Names) -> BrokerPriority:
    """A conversation priority; NULL is ANY."""
    contract = None if row.service_contract_id is None else names.contracts.get(row.service_contract_id)
    local = None if row.local_service_id is None else names.services.get(row.local_service_id)
    return BrokerPriority(
        PriorityName(row.name),
        None if contract is None else ContractName(contract),
        None if local is None else ServiceName(local),
        None if row.remote_service_name is None else ServiceName(row.remote_service_name),
        row.priority,
    )


def binding_of(row: BindingRow, owner: UserName, names: Names) -> RemoteServiceBinding:
    """A remote service binding."""
    return RemoteServiceBinding(
        RemoteServiceBindingName(row.name),
        parse_service_name(row.remote_service_name or ""),
        UserName(names.principal(row.remote_principal_id)),
        row.is_anonymous_on,
        owner,
    )


def certificate_of(row: CertificateRow, owner: UserName, smith: KeySmith) -> Certificate:
    """The public part of a certificate; 15297 when the bytes are none, or nobody was allowed to see them."""
    try:
        data = row.data
    except ValueError:
        data = b""
    facts = smith.read_certificate(data) if data else None
    if facts is None:
        raise CatalogError(
            15297, name=row.name, detail="these are not the bytes of an X.509 certificate with an RSA key"
        )
    return Certificate(
        name=CertificateName(row.name),
        owner=owner,
        is_active_for_begin_dialog=row.is_active_for_begin_dialog is not False,
        **{field: getattr(facts, field) for field in facts.__struct_fields__},
    )
