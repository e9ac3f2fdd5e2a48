"""Rows written from engine catalogs: only the difference between two catalogs touches the database.

Not responsible for whether a catalog makes sense: it comes from the engine, which has just checked it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Generic, TypeVar

import msgspec

from brokerweb.topology.models import (
    Contract,
    ContractUse,
    Database,
    Endpoint,
    Instance,
    MessageType,
    Queue,
    Route,
    Service,
    ServiceContract,
)
from brokerweb.topology.models.definitions import AddressKind
from brokerweb.topology.names import fold
from brokerweb.topology.reading import reading_to_json
from brokerweb.topology.security import instance_security_to_json, security_to_json
from brokerweb.topology.services.listing import listing_write
from engine import api as engine

V = TypeVar("V")
NAMES_AT_ONCE = 500
"""Of rows that go: a statement takes so many parameters and no more."""
ROWS_AT_ONCE = 1_000
"""Of objects that a database may have a hundred thousand of: so many rows are in memory together."""


class _Difference(Generic[V]):
    """What became of named values from one mapping to the next. A change of letter case only is a change."""

    def __init__(
        self, before: Mapping[Any, V], after: Mapping[Any, V], key: Callable[[str], str] = lambda name: name
    ) -> None:
        old = {key(name): (name, value) for name, value in before.items()}
        new = {key(name): (name, value) for name, value in after.items()}
        self.removed: list[str] = [name for folded, (name, _) in old.items() if folded not in new]
        self.added: list[V] = [value for folded, (_, value) in new.items() if folded not in old]
        self.changed: list[tuple[str, V]] = [
            (old[folded][0], value) for folded, (_, value) in new.items() if folded in old and old[folded][1] != value
        ]


def catalog_write(instance: Instance, before: engine.InstanceCatalog, after: engine.InstanceCatalog) -> int:
    """Bring the rows of an instance from one catalog to another; `before` is what the rows say now.

    Answers how many rows of lists that wrote.
    """
    if after.host_names != before.host_names:
        instance.host_names = list(after.host_names)
        instance.save(update_fields=["host_names"])
    security = instance_security_to_json(after)
    if security != instance_security_to_json(before):
        instance.security = security
        instance.save(update_fields=["security"])
    if after.endpoint is None:
        Endpoint.objects.filter(instance=instance).delete()
    elif after.endpoint != before.endpoint:
        Endpoint.objects.update_or_create(instance=instance, defaults=msgspec.structs.asdict(after.endpoint))
    databases = _Difference(before.databases, after.databases, fold)
    instance.databases.filter(name__in=databases.removed).delete()
    for database in databases.added:
        row = Database.objects.create(instance=instance, **_database_fields(database))
        _write_objects(row, engine.DatabaseCatalog(name=row.name, broker_instance=row.broker_instance), database)
    for old_name, database in databases.changed:
        row = instance.databases.get(name=old_name)
        _update(row, _database_fields(database))
        _write_objects(row, before.databases[engine.DatabaseName(old_name)], database)
    return listing_write(instance, before, after)


def _database_fields(database: engine.DatabaseCatalog) -> dict[str, Any]:
    return {
        "name": database.name,
        "folded_name": fold(database.name),
        "broker_instance": database.broker_instance,
        "is_broker_enabled": database.is_broker_enabled,
        "state": database.state.value,
        "partner_address": database.partner_address,
        "security": security_to_json(database),
        "reading": reading_to_json(database),
    }


def _write_objects(row: Database, before: engine.DatabaseCatalog, after: engine.DatabaseCatalog) -> None:
    """Services come after the queues they stand on, and leave before them."""
    services = _Difference(before.services, after.services)
    queues = _Difference(before.queues, after.queues, fold)
    _remove(row.services, services.removed)
    _write_message_types(row, _Difference(before.message_types, after.message_types))
    _write_contracts(row, _Difference(before.contracts, after.contracts))
    _write_queues(row, queues)
    _write_services(row, services)
    _remove(row.queues, queues.removed)
    _write_routes(row, _Difference(before.routes, after.routes, fold))


def _write_message_types(row: Database, kinds: _Difference[engine.MessageType]) -> None:
    _remove(row.message_types, kinds.removed)
    MessageType.objects.bulk_create(MessageType(database=row, **_message_type_fields(kind)) for kind in kinds.added)
    _overwrite(MessageType, "name", row, [_message_type_fields(kind) for _, kind in kinds.changed])


def _message_type_fields(kind: engine.MessageType) -> dict[str, Any]:
    return {"name": kind.name, "validation": kind.validation.value, "schema_collection": kind.schema_collection}


def _write_contracts(row: Database, contracts: _Difference[engine.Contract]) -> None:
    replaced = [name for name, _ in contracts.changed]
    _remove(row.contracts, [*contracts.removed, *replaced])
    wanted = [*contracts.added, *(contract for _, contract in contracts.changed)]
    made = Contract.objects.bulk_create(Contract(database=row, name=contract.name) for contract in wanted)
    ContractUse.objects.bulk_create(
        ContractUse(
            contract=contract_row,
            position=position,
            message_type_name=use.message_type,
            sent_by=use.sent_by.value,
        )
        for contract_row, contract in zip(made, wanted, strict=True)
        for position, use in enumerate(contract.uses)
    )


def _write_queues(row: Database, queues: _Difference[engine.Queue]) -> None:
    Queue.objects.bulk_create(Queue(database=row, **_queue_fields(queue)) for queue in queues.added)
    _overwrite(Queue, "folded_name", row, [_queue_fields(queue) for _, queue in queues.changed])


def _queue_fields(queue: engine.Queue) -> dict[str, Any]:
    return {
        "name": queue.name,
        "folded_name": fold(queue.name),
        "is_enabled": queue.is_enabled,
        "is_retention_enabled": queue.is_retention_enabled,
        "is_poison_message_handling_enabled": queue.is_poison_message_handling_enabled,
        "activation": None if queue.activation is None else msgspec.to_builtins(queue.activation),
    }


def _write_services(row: Database, services: _Difference[engine.Service]) -> None:
    if not services.added and not services.changed:
        return
    queues = {queue.folded_name: queue for queue in row.queues.all()}
    wanted = list(services.added)
    made = list(
        Service.objects.bulk_create(
            Service(database=row, name=service.name, queue=queues[fold(service.queue)], owner=service.owner)
            for service in wanted
        )
    )
    for name, service in services.changed:
        service_row = row.services.get(name=name)
        _update(service_row, {"queue": queues[fold(service.queue)], "owner": service.owner})
        service_row.contracts.all().delete()
        made.append(service_row)
        wanted.append(service)
    ServiceContract.objects.bulk_create(
        ServiceContract(service=service_row, position=position, contract_name=contract)
        for service_row, service in zip(made, wanted, strict=True)
        for position, contract in enumerate(service.contracts)
    )


def _write_routes(row: Database, routes: _Difference[engine.Route]) -> None:
    _remove(row.routes, routes.removed)
    new = (Route(database=row, **_route_fields(route)) for route in routes.added)
    while some := list(islice(new, ROWS_AT_ONCE)):
        Route.objects.bulk_create(some)
    _overwrite(Route, "folded_name", row, [_route_fields(route) for _, route in routes.changed])


def _route_fields(route: engine.Route) -> dict[str, Any]:
    address, mirror = route.address, route.mirror_address
    match address:
        case engine.LocalAddress():
            kind, host, port = AddressKind.LOCAL, "", None
        case engine.TransportAddress():
            kind, host, port = AddressKind.TRANSPORT, "", None
        case _:
            kind, host, port = AddressKind.TCP, address.tcp.host, address.tcp.port
    return {
        "name": route.name,
        "folded_name": fold(route.name),
        "service_name": route.service_name,
        "broker_instance": route.broker_instance,
        "expires_at": None if route.expires_at is None else datetime.fromtimestamp(route.expires_at, UTC),
        "address_kind": kind,
        "address": str(address),
        "address_host": host,
        "address_port": port,
        "mirror_address": None if mirror is None else mirror.text,
        "mirror_host": "" if mirror is None else mirror.tcp.host,
        "mirror_port": None if mirror is None else mirror.tcp.port,
    }


def _update(row: Any, fields: dict[str, Any]) -> None:
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=list(fields))


def _remove(rows: Any, names: Sequence[str]) -> None:
    """Delete rows by name; a database takes so many parameters and no more."""
    for first in range(0, len(names), NAMES_AT_ONCE):
        rows.filter(name__in=names[first : first + NAMES_AT_ONCE]).delete()


def _overwrite(model: Any, unique_name: str, database: Database, changed: Sequence[dict[str, Any]]) -> None:
    """Rows that are there get new values and keep their ids, thousands in a statement."""
    if changed:
        model.objects.bulk_create(
            (model(database=database, **fields) for fields in changed),
            update_conflicts=True,
            unique_fields=["database", unique_name],
            update_fields=[name for name in changed[0] if name != unique_name],
        )
