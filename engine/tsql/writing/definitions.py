"""Message types, contracts, queues and services (tsql.md 2 to 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

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
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import DEFAULT_SCHEMA, find_database, same_name, with_schema
from engine.core.catalog.objects import Activation, Queue, Validation
from engine.core.catalog.permissions import Permission
from engine.core.catalog.security import DBO, PUBLIC
from engine.tsql.writing.quoting import bracketed, dotted, finding, on_off, queue_name, quoted
from engine.tsql.writing.written import Written

MessageChange = MessageTypeCreated | MessageTypeAltered | MessageTypeDropped | ContractCreated | ContractDropped
QueueChange = QueueCreated | QueueAltered | QueueDropped
ServiceChange = ServiceCreated | ServiceAltered | ServiceDropped


def of_messages(change: MessageChange) -> Iterator[Written]:
    """The statement for a change of a message type or a contract."""
    match change:
        case MessageTypeCreated():
            kind = change.message_type
            validation = _validation(kind.validation, kind.schema_collection)
            text = f"CREATE MESSAGE TYPE {bracketed(kind.name)} {validation};"
            yield _message_type(change, kind.name, text, _collection_needed(change.database, kind.schema_collection))
        case MessageTypeAltered():
            validation = _validation(change.validation, change.schema_collection)
            text = f"ALTER MESSAGE TYPE {bracketed(change.name)} {validation};"
            notes = _collection_needed(change.database, change.schema_collection)
            yield Written(kind="message type", name=change.name, database=change.database, text=text, notes=notes)
        case MessageTypeDropped():
            yield _message_type(change, change.name, f"DROP MESSAGE TYPE {bracketed(change.name)};")
        case ContractCreated():
            uses = ",\n".join(
                f"    {bracketed(use.message_type)} SENT BY {use.sent_by.value}" for use in change.contract.uses
            )
            name = change.contract.name
            yield _contract(change, name, f"CREATE CONTRACT {bracketed(name)} (\n{uses});")
        case ContractDropped():
            yield _contract(change, change.name, f"DROP CONTRACT {bracketed(change.name)};")
        case _:
            assert_never(change)


def _validation(validation: Validation, schema_collection: str | None) -> str:
    collection = f" WITH SCHEMA COLLECTION {dotted(schema_collection)}" if schema_collection is not None else ""
    return f"VALIDATION = {validation.value}{collection}"


def _collection_needed(database: str, collection: str | None) -> tuple[str, ...]:
    if collection is None:
        return ()
    return (
        f"XML schema collection {collection} of database {database} is not in the script: "
        "make it before its message types.",
    )


def _message_type(
    change: MessageTypeCreated | MessageTypeDropped, name: str, text: str, notes: tuple[str, ...] = ()
) -> Written:
    return Written(
        notes=notes,
        kind="message type",
        name=name,
        database=change.database,
        text=text,
        condition=finding("service_message_types", name),
        is_drop=isinstance(change, MessageTypeDropped),
    )


def _contract(change: ContractCreated | ContractDropped, name: str, text: str) -> Written:
    return Written(
        kind="contract",
        name=name,
        database=change.database,
        text=text,
        condition=finding("service_contracts", name),
        is_drop=isinstance(change, ContractDropped),
    )


# --- queues ----------------------------------------------------------------------------------------------------------


def of_queue(change: QueueChange) -> Iterator[Written]:
    """The statement for a change of a queue."""
    match change:
        case QueueCreated():
            options = _new_options(change.queue)
            listed = "" if not options else f" WITH {', '.join(options)}"
            yield _queue(change, change.queue.name, f"CREATE QUEUE {queue_name(change.queue.name)}{listed};")
        case QueueAltered():
            options = _altered_options(change)
            text = f"ALTER QUEUE {queue_name(change.name)} WITH {', '.join(options)};"
            yield Written(kind="queue", name=change.name, database=change.database, text=text)
        case QueueDropped():
            yield _queue(change, change.name, f"DROP QUEUE {queue_name(change.name)};")
        case _:
            assert_never(change)


def _queue(change: QueueCreated | QueueDropped, name: str, text: str) -> Written:
    schema, _, own_name = with_schema(name).partition(".")
    notes: tuple[str, ...] = ()
    if isinstance(change, QueueCreated) and not same_name(schema, DEFAULT_SCHEMA):
        notes = (f"Schema {schema} of database {change.database} is not in the script: make it before its queues.",)
    return Written(
        notes=notes,
        kind="queue",
        name=name,
        database=change.database,
        text=text,
        condition=f"{finding('service_queues', own_name)} AND SCHEMA_NAME(schema_id) = {quoted(schema)}",
        is_drop=isinstance(change, QueueDropped),
    )


def _new_options(queue: Queue) -> list[str]:
    """What is not as CREATE QUEUE has it by itself."""
    options = [] if queue.is_enabled else ["STATUS = OFF"]
    if queue.is_retention_enabled:
        options.append("RETENTION = ON")
    if queue.activation is not None:
        options.append(_activation(queue.activation))
    if not queue.is_poison_message_handling_enabled:
        options.append("POISON_MESSAGE_HANDLING (STATUS = OFF)")
    return options


def _altered_options(change: QueueAltered) -> list[str]:
    options = [] if change.is_enabled is None else [f"STATUS = {on_off(change.is_enabled)}"]
    if change.is_retention_enabled is not None:
        options.append(f"RETENTION = {on_off(change.is_retention_enabled)}")
    if change.drops_activation:
        options.append("ACTIVATION (DROP)")
    elif change.activation is not None:
        options.append(_activation(change.activation))
    if change.is_poison_message_handling_enabled is not None:
        switch = on_off(change.is_poison_message_handling_enabled)
        options.append(f"POISON_MESSAGE_HANDLING (STATUS = {switch})")
    return options


def _activation(activation: Activation | ActivationPatch) -> str:
    members = [] if activation.is_enabled is None else [f"STATUS = {on_off(activation.is_enabled)}"]
    if activation.procedure_name is not None:
        members.append(f"PROCEDURE_NAME = {dotted(activation.procedure_name)}")
    if activation.max_queue_readers is not None:
        members.append(f"MAX_QUEUE_READERS = {activation.max_queue_readers}")
    if (user := activation.execute_as) is not None:
        members.append(f"EXECUTE AS {user if user in ('SELF', 'OWNER') else quoted(user)}")
    return f"ACTIVATION ({', '.join(members)})"


# --- services --------------------------------------------------------------------------------------------------------


def of_service(change: ServiceChange, wanted: InstanceCatalog) -> Iterator[Written]:
    """The statements for a change of a service; a new one that is open to public says so."""
    match change:
        case ServiceCreated():
            service = change.service
            owner = "" if service.owner == DBO else f" AUTHORIZATION {bracketed(service.owner)}"
            contracts = "" if not service.contracts else f" ({', '.join(map(bracketed, service.contracts))})"
            text = f"CREATE SERVICE {bracketed(service.name)}{owner} ON QUEUE {queue_name(service.queue)}{contracts};"
            yield _service(change, service.name, text)
            final = find_database(wanted, change.database).services.get(service.name)
            if service.contracts and final is not None and Permission(PUBLIC) in final.send_permissions:
                grant = f"GRANT SEND ON SERVICE::{bracketed(service.name)} TO [public];"
                yield Written(kind="service", name=service.name, database=change.database, text=grant)
        case ServiceAltered():
            yield from _altered_service(change)
        case ServiceDropped():
            yield _service(change, change.name, f"DROP SERVICE {bracketed(change.name)};")
        case _:
            assert_never(change)


def _service(change: ServiceCreated | ServiceDropped, name: str, text: str) -> Written:
    return Written(
        kind="service",
        name=name,
        database=change.database,
        text=text,
        condition=finding("services", name),
        is_drop=isinstance(change, ServiceDropped),
    )


def _altered_service(change: ServiceAltered) -> Iterator[Written]:
    """The owner has a statement of its own."""
    contracts = [
        *(f"ADD CONTRACT {bracketed(name)}" for name in change.adds),
        *(f"DROP CONTRACT {bracketed(name)}" for name in change.drops),
    ]
    clauses = [] if change.queue is None else [f"ON QUEUE {queue_name(change.queue)}"]
    if contracts:
        clauses.append(f"({', '.join(contracts)})")
    if clauses:
        text = f"ALTER SERVICE {bracketed(change.name)} {' '.join(clauses)};"
        yield Written(kind="service", name=change.name, database=change.database, text=text)
    if change.owner is not None:
        text = f"ALTER AUTHORIZATION ON SERVICE::{bracketed(change.name)} TO {bracketed(change.owner)};"
        yield Written(kind="service", name=change.name, database=change.database, text=text)
