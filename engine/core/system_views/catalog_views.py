"""Views of what is defined in a database (views.md 1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from engine.core.catalog.objects import (
    BrokerPriority,
    Contract,
    ContractUse,
    MessageType,
    Queue,
    SentBy,
    Service,
    Validation,
)
from engine.core.catalog.route import Route
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.numbers import OWNER
from engine.core.system_views.object_views import DATES_DIFFER, object_columns, of_queue
from engine.core.system_views.reading import ViewReader
from engine.core.vocabulary.identifiers import ContractName

_OWNER_COLUMN: Final = Column[Any]("principal_id", "int", "owner", fixed(OWNER), NULL)
_OWNER_DIFFERS: Final = "Owners are not modelled: `principal_id` is 1, dbo, everywhere."
_BUILT_IN_DIFFERS: Final = (
    "Of what every database has by itself only what the engine uses is listed: the types DEFAULT, EndDialog, Error, "
    "DialogTimer and the four of the broker configuration notice, the contracts DEFAULT and BrokerConfigurationNotice, "
    "the service and the queue of the broker itself."
)

ROUTES: Final = SystemView[Route](
    name="sys.routes",
    about="Routes of the database, expired ones too.",
    scope=Scope.DATABASE,
    rows=lambda reader: reader.database.routes.values(),
    columns=(
        Column("name", "sysname", "route name, unique in the database", lambda _, route: route.name),
        Column("route_id", "int", "id; 65536 is AutoCreatedLocal", lambda reader, route: reader.route_id(route.name)),
        _OWNER_COLUMN,
        Column("remote_service_name", "nvarchar(256)", "NULL = any service", lambda _, route: route.service_name, NULL),
        Column(
            "broker_instance",
            "nvarchar(128)",
            "broker id as text; NULL = any broker",
            lambda _, route: str(route.broker_instance).upper() if route.broker_instance is not None else None,
            NULL,
        ),
        Column("lifetime", "datetime", "UTC expiry; NULL = never", lambda _, route: route.expires_at, NULL),
        Column(
            "address", "nvarchar(256)", "TCP address, LOCAL or TRANSPORT", lambda _, route: str(route.address), NULL
        ),
        Column(
            "mirror_address",
            "nvarchar(256)",
            "address of the partner",
            lambda _, route: str(route.mirror_address) if route.mirror_address is not None else None,
            NULL,
        ),
    ),
    differs=(_OWNER_DIFFERS,),
)

SERVICES: Final = SystemView[Service](
    name="sys.services",
    about="Services of the database.",
    scope=Scope.DATABASE,
    rows=ViewReader.services,
    columns=(
        Column("name", "sysname", "compared with letter case", lambda _, service: service.name),
        Column("service_id", "int", "id", lambda reader, service: reader.service_id(service.name)),
        _OWNER_COLUMN,
        Column("service_queue_id", "int", "its queue", lambda reader, service: reader.queue_id(service.queue)),
    ),
    differs=(_OWNER_DIFFERS, _BUILT_IN_DIFFERS),
)

SERVICE_QUEUE_USAGES: Final = SystemView[Service](
    name="sys.service_queue_usages",
    about="Which queue each service has; a queue may serve many services.",
    scope=Scope.DATABASE,
    rows=ViewReader.services,
    columns=(
        Column("service_id", "int", "unique here", lambda reader, service: reader.service_id(service.name)),
        Column("service_queue_id", "int", "its queue", lambda reader, service: reader.queue_id(service.queue)),
    ),
    differs=(_BUILT_IN_DIFFERS,),
)


def principal_of(words: str) -> int | None:
    """Of EXECUTE AS: None for none or caller, -2 for OWNER; SELF and named users are dbo: users are not modelled."""
    if not words or words.upper() == "CALLER":
        return None
    return -2 if words.upper() == "OWNER" else OWNER


def _has_activation(queue: Queue) -> bool:
    return queue.activation is not None and queue.activation.is_enabled


SERVICE_QUEUES: Final = SystemView[Queue](
    name="sys.service_queues",
    about="Queues of the database: the columns of sys.objects, then their own.",
    scope=Scope.DATABASE,
    rows=ViewReader.queues,
    columns=(
        *object_columns(of_queue),
        Column(
            "max_readers",
            "smallint",
            "MAX_QUEUE_READERS",
            lambda _, queue: queue.activation.max_queue_readers if queue.activation is not None else 0,
            NULL,
        ),
        Column(
            "activation_procedure",
            "nvarchar(776)",
            "three-part name or NULL",
            lambda _, queue: queue.activation.procedure_name if queue.activation is not None else None,
            NULL,
        ),
        Column(
            "execute_as_principal_id",
            "int",
            "NULL = none or caller; id of SELF or the named user; -2 = OWNER",
            lambda _, queue: principal_of(queue.activation.execute_as) if queue.activation is not None else None,
            NULL,
        ),
        Column("is_activation_enabled", "bit", "ACTIVATION STATUS", lambda _, queue: _has_activation(queue)),
        Column("is_receive_enabled", "bit", "STATUS", lambda _, queue: queue.is_enabled),
        Column("is_enqueue_enabled", "bit", "STATUS", lambda _, queue: queue.is_enabled),
        Column("is_retention_enabled", "bit", "RETENTION", lambda _, queue: queue.is_retention_enabled),
        Column(
            "is_poison_message_handling_enabled",
            "bit",
            "POISON_MESSAGE_HANDLING",
            lambda _, queue: queue.is_poison_message_handling_enabled,
            NULL,
        ),
    ),
    differs=(
        DATES_DIFFER,
        "`activation_procedure` is the name as it was written in the clause.",
        _BUILT_IN_DIFFERS,
    ),
)

SERVICE_CONTRACTS: Final = SystemView[Contract](
    name="sys.service_contracts",
    about="Contracts of the database.",
    scope=Scope.DATABASE,
    rows=ViewReader.contracts,
    columns=(
        Column("name", "sysname", "compared with letter case", lambda _, contract: contract.name),
        Column("service_contract_id", "int", "id", lambda reader, contract: reader.contract_id(contract.name)),
        _OWNER_COLUMN,
    ),
    differs=(_OWNER_DIFFERS, _BUILT_IN_DIFFERS),
)


def _accepted(reader: ViewReader) -> Iterable[tuple[Service, ContractName]]:
    return ((service, contract) for service in reader.services() for contract in service.contracts)


SERVICE_CONTRACT_USAGES: Final = SystemView[tuple[Service, ContractName]](
    name="sys.service_contract_usages",
    about="Which contracts a service accepts as target.",
    scope=Scope.DATABASE,
    rows=_accepted,
    columns=(
        Column("service_id", "int", "service", lambda reader, use: reader.service_id(use[0].name)),
        Column("service_contract_id", "int", "contract", lambda reader, use: reader.contract_id(use[1])),
    ),
)


def _contract_uses(reader: ViewReader) -> Iterable[tuple[Contract, ContractUse]]:
    return ((contract, use) for contract in reader.contracts() for use in contract.uses)


SERVICE_CONTRACT_MESSAGE_USAGES: Final = SystemView[tuple[Contract, ContractUse]](
    name="sys.service_contract_message_usages",
    about="Which message types a contract has, and who sends them.",
    scope=Scope.DATABASE,
    rows=_contract_uses,
    columns=(
        Column("service_contract_id", "int", "contract", lambda reader, each: reader.contract_id(each[0].name)),
        Column(
            "message_type_id", "int", "message type", lambda reader, each: reader.message_type_id(each[1].message_type)
        ),
        Column(
            "is_sent_by_initiator",
            "bit",
            "SENT BY INITIATOR or ANY",
            lambda _, each: each[1].sent_by is not SentBy.TARGET,
        ),
        Column(
            "is_sent_by_target",
            "bit",
            "SENT BY TARGET or ANY",
            lambda _, each: each[1].sent_by is not SentBy.INITIATOR,
        ),
    ),
    differs=(_BUILT_IN_DIFFERS,),
)

_VALIDATIONS: Final = {
    Validation.NONE: ("N ", "NONE"),
    Validation.EMPTY: ("E ", "EMPTY"),
    Validation.WELL_FORMED_XML: ("X ", "XML"),
    Validation.VALID_XML: ("X ", "XML"),
}
"""`validation` and `validation_desc`; a char(2) is filled up with a blank."""


def validation_code(message_type: MessageType) -> str:
    """N, E or X, filled up to two characters."""
    return _VALIDATIONS[message_type.validation][0]


def _collection_id(reader: ViewReader, message_type: MessageType) -> int | None:
    name = message_type.schema_collection
    return reader.schema_collection_id(name) if name is not None else None


SERVICE_MESSAGE_TYPES: Final = SystemView[MessageType](
    name="sys.service_message_types",
    about="Message types of the database.",
    scope=Scope.DATABASE,
    rows=ViewReader.message_types,
    columns=(
        Column("name", "sysname", "compared with letter case", lambda _, each: each.name),
        Column(
            "message_type_id", "int", "id; below 65536 built in", lambda reader, each: reader.message_type_id(each.name)
        ),
        _OWNER_COLUMN,
        Column("validation", "char(2)", "N none, X XML, E empty", lambda _, each: validation_code(each)),
        Column(
            "validation_desc",
            "nvarchar(60)",
            "NONE, XML, EMPTY",
            lambda _, each: _VALIDATIONS[each.validation][1],
            NULL,
        ),
        Column("xml_collection_id", "int", "schema collection or NULL", _collection_id, NULL),
    ),
    differs=(_OWNER_DIFFERS, _BUILT_IN_DIFFERS),
)

XML_SCHEMA_COLLECTION_USAGES: Final = SystemView[MessageType](
    name="sys.message_type_xml_schema_collection_usages",
    about="Which schema collection a message type is valid by.",
    scope=Scope.DATABASE,
    rows=lambda reader: (each for each in reader.message_types() if each.schema_collection is not None),
    columns=(
        Column("message_type_id", "int", "message type", lambda reader, each: reader.message_type_id(each.name)),
        Column("xml_collection_id", "int", "schema collection", lambda reader, each: _collection_id(reader, each)),
    ),
    differs=("Schema collections themselves are not kept, only their names.",),
)


def _contract_of(reader: ViewReader, priority: BrokerPriority) -> int | None:
    return reader.contract_id(priority.contract) if priority.contract is not None else None


def _local_service_of(reader: ViewReader, priority: BrokerPriority) -> int | None:
    return reader.service_id(priority.local_service) if priority.local_service is not None else None


CONVERSATION_PRIORITIES: Final = SystemView[BrokerPriority](
    name="sys.conversation_priorities",
    about="Rules that give conversations their priority; NULL = ANY.",
    scope=Scope.DATABASE,
    rows=lambda reader: reader.database.priorities.values(),
    columns=(
        Column("priority_id", "int", "id", lambda reader, each: reader.priority_id(each.name)),
        Column("name", "sysname", "rule", lambda _, each: each.name),
        Column("service_contract_id", "int", "contract", _contract_of, NULL),
        Column("local_service_id", "int", "service of this side", _local_service_of, NULL),
        Column(
            "remote_service_name",
            "nvarchar(256)",
            "service of the far side",
            lambda _, each: each.remote_service,
            NULL,
        ),
        Column("priority", "tinyint", "1 to 10", lambda _, each: each.level),
    ),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (
    ROUTES,
    SERVICES,
    SERVICE_QUEUES,
    SERVICE_QUEUE_USAGES,
    SERVICE_CONTRACTS,
    SERVICE_CONTRACT_USAGES,
    SERVICE_CONTRACT_MESSAGE_USAGES,
    SERVICE_MESSAGE_TYPES,
    XML_SCHEMA_COLLECTION_USAGES,
    CONVERSATION_PRIORITIES,
)
