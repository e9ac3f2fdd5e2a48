"""Changes to message types, contracts, queues and services of one database (tsql.md 2 to 5).

Every function checks first and writes last, so a refused change changes nothing. Lists whose order means nothing,
the types of a contract and the contracts of a service, are kept in one order, so that equal definitions are equal.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.core.catalog.builtin import (
    BUILT_IN_CONTRACTS,
    BUILT_IN_MESSAGE_TYPES,
    SYSTEM_MESSAGE_TYPES,
    contract_of,
    message_type_of,
    service_of,
)
from engine.core.catalog.changes import (
    ActivationPatch,
    ContractCreated,
    ContractDropped,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.event_notifications import check_no_event_activation, notifications_by_key
from engine.core.catalog.names import (
    check_name,
    check_travelling_name,
    find_queue,
    no_such,
    same_name,
    spelling_in,
    with_schema,
)
from engine.core.catalog.objects import Activation, Contract, MessageType, SentBy, Service, Validation
from engine.core.catalog.permissions import EVERYBODY, without
from engine.core.catalog.security_rules import check_owner
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import ContractName, QueueName
from engine.core.vocabulary.limits import QUEUE_READERS_MAX

# --- message types ---------------------------------------------------------------------------------------------------


def create_message_type(database: DatabaseCatalog, change: MessageTypeCreated) -> None:
    """Add a message type."""
    message_type = change.message_type
    check_travelling_name(message_type.name)
    if message_type_of(database, message_type.name) is not None:
        raise CatalogError(2714, name=message_type.name)
    database.message_types[message_type.name] = _checked_validation(message_type)


def alter_message_type(database: DatabaseCatalog, change: MessageTypeAltered) -> None:
    """Give a message type another validation."""
    if change.name in BUILT_IN_MESSAGE_TYPES:
        raise CatalogError(3708, value="message type", name=change.name)
    if change.name not in database.message_types:
        raise no_such("message type", change.name, database.name)
    database.message_types[change.name] = _checked_validation(
        MessageType(change.name, change.validation, change.schema_collection)
    )


def _checked_validation(message_type: MessageType) -> MessageType:
    """A schema collection belongs to VALID_XML and to nothing else (153)."""
    needs_schema = message_type.validation is Validation.VALID_XML
    if needs_schema and not message_type.schema_collection:
        detail = "it needs a schema collection"
    elif not needs_schema and message_type.schema_collection is not None:
        detail = "only VALID_XML has a schema collection"
    else:
        return message_type
    value = f"VALIDATION = {message_type.validation}"
    raise CatalogError(153, name=message_type.name, value=value, detail=detail)


def drop_message_type(database: DatabaseCatalog, change: MessageTypeDropped) -> None:
    """Remove a message type that no contract uses."""
    if change.name in BUILT_IN_MESSAGE_TYPES:
        raise CatalogError(3708, value="message type", name=change.name)
    if change.name not in database.message_types:
        raise no_such("message type", change.name, database.name)
    for contract in database.contracts.values():
        if any(use.message_type == change.name for use in contract.uses):
            raise _in_use("message type", change.name, f"contract '{contract.name}'")
    del database.message_types[change.name]


def _in_use(kind: str, name: str, user: str) -> CatalogError:
    return CatalogError(3716, value=kind, name=name, detail=user)


# --- contracts -------------------------------------------------------------------------------------------------------


def create_contract(database: DatabaseCatalog, change: ContractCreated) -> None:
    """Add a contract whose types exist and whose initiator may speak."""
    contract = change.contract
    check_travelling_name(contract.name)
    if contract_of(database, contract.name) is not None:
        raise CatalogError(2714, name=contract.name)
    seen = set()
    for use in contract.uses:
        if use.message_type in seen:
            raise CatalogError(8403, message_type=use.message_type, contract=contract.name)
        seen.add(use.message_type)
        if use.message_type in SYSTEM_MESSAGE_TYPES:
            detail = "brokers send it on every conversation, whatever its contract"
            raise CatalogError(153, name=contract.name, value=use.message_type, detail=detail)
        if message_type_of(database, use.message_type) is None:
            raise no_such("message type", use.message_type, database.name)
    if all(use.sent_by is SentBy.TARGET for use in contract.uses):
        raise CatalogError(8492, contract=contract.name)
    uses = tuple(sorted(contract.uses, key=lambda use: use.message_type))
    database.contracts[contract.name] = Contract(contract.name, uses)


def drop_contract(database: DatabaseCatalog, change: ContractDropped) -> None:
    """Remove a contract that no service accepts."""
    if change.name in BUILT_IN_CONTRACTS:
        raise CatalogError(3708, value="contract", name=change.name)
    if change.name not in database.contracts:
        raise no_such("contract", change.name, database.name)
    for service in database.services.values():
        if change.name in service.contracts:
            raise _in_use("contract", change.name, f"service '{service.name}'")
    for priority in database.priorities.values():
        if change.name == priority.contract:
            raise _in_use("contract", change.name, f"broker priority '{priority.name}'")
    del database.contracts[change.name]


# --- queues ----------------------------------------------------------------------------------------------------------


def create_queue(database: DatabaseCatalog, change: QueueCreated) -> None:
    """Add a queue; a name without schema gets `dbo`. It is born with RECEIVE for public."""
    name = with_schema(change.queue.name)
    schema, _, own_name = name.partition(".")
    check_name(schema)
    check_name(own_name)
    if own_name.startswith("#"):
        raise CatalogError(153, name=name, value="#", detail="there are no temporary queues")
    if spelling_in(database.queues, name) is not None:
        raise CatalogError(2714, name=name)
    if change.queue.activation is not None:
        _check_activation(name, change.queue.activation)
    database.queues[name] = msgspec.structs.replace(change.queue, name=name, receive_permissions=EVERYBODY)


def alter_queue(database: DatabaseCatalog, change: QueueAltered) -> None:
    """Change the given clauses of a queue."""
    queue = database.queues[find_queue(database, change.name)]
    switches = {
        field: value
        for field in ("is_enabled", "is_retention_enabled", "is_poison_message_handling_enabled")
        if (value := getattr(change, field)) is not None
    }
    activation = None if change.drops_activation else queue.activation
    if change.activation is not None:
        check_no_event_activation(database, queue.name)
        activation = _patched(queue.name, activation, change.activation)
        _check_activation(queue.name, activation)
    database.queues[queue.name] = msgspec.structs.replace(queue, activation=activation, **switches)


def _patched(queue: QueueName, activation: Activation | None, patch: ActivationPatch) -> Activation:
    """Members not given stay; a first ACTIVATION needs them all, and is off unless it says ON (tsql.md 2)."""
    given = {field: value for field, value in msgspec.structs.asdict(patch).items() if value is not None}
    if activation is not None:
        return msgspec.structs.replace(activation, **given)
    if patch.procedure_name is None:
        raise CatalogError(9614, queue=queue)
    if patch.max_queue_readers is None:
        raise CatalogError(9620, queue=queue)
    if patch.execute_as is None:
        raise CatalogError(9613, queue=queue)
    return Activation(
        patch.procedure_name, patch.max_queue_readers, patch.execute_as, is_enabled=bool(patch.is_enabled)
    )


def _check_activation(queue: QueueName, activation: Activation) -> None:
    if not activation.procedure_name:
        raise CatalogError(9614, queue=queue)
    if not activation.execute_as:
        raise CatalogError(9613, queue=queue)
    if not 0 <= activation.max_queue_readers <= QUEUE_READERS_MAX:
        raise CatalogError(9742, value=activation.max_queue_readers)


def drop_queue(database: DatabaseCatalog, change: QueueDropped) -> None:
    """Remove a queue that no service uses."""
    name = find_queue(database, change.name)
    for service in database.services.values():
        if same_name(service.queue, name):
            raise _in_use("queue", name, f"service '{service.name}'")
    kept = [each for each in database.event_notifications.values() if not same_name(each.queue, name)]
    database.event_notifications = notifications_by_key(kept)
    del database.queues[name]


# --- services --------------------------------------------------------------------------------------------------------


def create_service(database: DatabaseCatalog, change: ServiceCreated) -> None:
    """Add a service on an existing queue, with existing contracts. It is born with SEND for public."""
    service = change.service
    check_travelling_name(service.name)
    if service_of(database, service.name) is not None:
        raise CatalogError(2714, name=service.name)
    contracts = _added(database, service, (), service.contracts)
    queue = find_queue(database, service.queue)
    check_owner(database, service.owner)
    database.services[service.name] = Service(service.name, queue, contracts, service.owner)


def alter_service(database: DatabaseCatalog, change: ServiceAltered) -> None:
    """Move a service to another queue, add and drop contracts; existing dialogs are not touched (tsql.md 3)."""
    service = database.services.get(change.name)
    if service is None:
        raise no_such("service", change.name, database.name)
    if change.queue is None and not change.adds and not change.drops and change.owner is None:
        raise CatalogError(8493, service=service.name)
    queue = service.queue if change.queue is None else find_queue(database, change.queue)
    for number, name in enumerate(change.drops):
        if name not in service.contracts or name in change.drops[:number]:
            raise no_such("contract", name, f"service '{service.name}'")
    kept = [name for name in service.contracts if name not in change.drops]
    contracts = _added(database, service, kept, change.adds)
    owner = service.owner if change.owner is None else change.owner
    check_owner(database, owner)
    permissions = without(service.send_permissions, owner)
    database.services[service.name] = Service(service.name, queue, contracts, owner, permissions)


def _added(
    database: DatabaseCatalog, service: Service, kept: Iterable[ContractName], adds: Iterable[ContractName]
) -> tuple[ContractName, ...]:
    contracts = set(kept)
    for name in adds:
        if name in contracts:
            raise CatalogError(8404, contract=name, service=service.name)
        if contract_of(database, name) is None:
            raise no_such("contract", name, database.name)
        contracts.add(name)
    return tuple(sorted(contracts))


def drop_service(database: DatabaseCatalog, change: ServiceDropped) -> None:
    """Remove a service."""
    if change.name not in database.services:
        raise no_such("service", change.name, database.name)
    for priority in database.priorities.values():
        if change.name == priority.local_service:
            raise _in_use("service", change.name, f"broker priority '{priority.name}'")
    del database.services[change.name]
