"""The changes inside one database that lead from one set of definitions to another.

Yields while the caller applies: each change is found in the catalog that the changes before it have left. The order
is fixed by who uses whom: a service uses a queue and contracts, a contract uses message types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from engine.core.catalog.changes import (
    ActivationPatch,
    CatalogChange,
    ContractCreated,
    ContractDropped,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import Name, same_name
from engine.core.catalog.objects import Contract, Endpoint, Queue, Service
from engine.core.catalog.permission_difference import permission_changes
from engine.core.catalog.reading_difference import readers_added, readers_withdrawn
from engine.core.catalog.route import Route
from engine.core.catalog.security_difference import security_changes


def definition_changes(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """Changes that make `present` define what `wanted` defines. The caller applies each before it asks for the next."""
    yield from readers_withdrawn(present, wanted)
    yield from security_changes(present, wanted)
    yield from _services_dropped(present, wanted)
    yield from _message_types_put(present, wanted)
    yield from _contracts(present, wanted)
    yield from _queues_put(present, wanted)
    yield from _services_put(present, wanted)
    yield from _dropped_at_last(present, wanted)
    yield from permission_changes(present, wanted)
    yield from readers_added(present, wanted)
    yield from _routes(present, wanted)


def _services_dropped(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    for name in list(present.services):
        if name not in wanted.services:
            yield ServiceDropped(database=present.name, name=name)


def _message_types_put(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    for message_type in wanted.message_types.values():
        known = present.message_types.get(message_type.name)
        if known is None:
            yield MessageTypeCreated(database=present.name, message_type=message_type)
        elif known != message_type:
            yield MessageTypeAltered(
                database=present.name,
                name=message_type.name,
                validation=message_type.validation,
                schema_collection=message_type.schema_collection,
            )


def _contracts(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    """A contract cannot be altered: one that differs leaves its services, is dropped, and is made anew."""
    for contract in list(present.contracts.values()):
        successor = wanted.contracts.get(contract.name)
        if successor is not None and same_contract(contract, successor):
            continue
        for service in list(present.services.values()):
            if contract.name in service.contracts:
                yield ServiceAltered(database=present.name, name=service.name, drops=(contract.name,))
        yield ContractDropped(database=present.name, name=contract.name)
    for contract in wanted.contracts.values():
        if contract.name not in present.contracts:
            yield ContractCreated(database=present.name, contract=contract)


def same_contract(one: Contract, other: Contract) -> bool:
    """Whether two contracts say the same; the order of their message types says nothing."""
    return one.name == other.name and set(one.uses) == set(other.uses)


def same_service(one: Service, other: Service) -> bool:
    """Whether two services are defined alike; the order of contracts says nothing, permissions are no part of it."""
    places = same_name(one.queue, other.queue) and same_name(one.owner, other.owner)
    return one.name == other.name and places and set(one.contracts) == set(other.contracts)


def same_queue(one: Queue, other: Queue) -> bool:
    """Whether two queues are defined alike, however their names are spelled; permissions are no part of it."""
    spelled = msgspec.structs.replace(other, name=one.name, receive_permissions=one.receive_permissions)
    return same_name(one.name, other.name) and one == spelled


def same_route(one: Route, other: Route) -> bool:
    """Whether two routes say the same, however their names are spelled."""
    if one is other:
        return True  # Nearly all of a large catalog after a change: its copies share what has not changed.
    return same_name(one.name, other.name) and one == msgspec.structs.replace(other, name=one.name)


def same_endpoint(one: Endpoint, other: Endpoint) -> bool:
    """Whether two endpoints say the same, however their names are spelled."""
    return same_name(one.name, other.name) and one == msgspec.structs.replace(other, name=one.name)


def _by_folded_name(names: Iterable[Name]) -> dict[str, Name]:
    """Each name by what its spellings have in common."""
    return {name.casefold(): name for name in names}


def _queues_put(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    known = _by_folded_name(present.queues)
    for queue in wanted.queues.values():
        key = known.get(queue.name.casefold())
        if key is None:
            yield QueueCreated(database=present.name, queue=queue)
        elif not same_queue(present.queues[key], queue):
            yield _altered_queue(present, present.queues[key], queue)


def _altered_queue(present: DatabaseCatalog, known: Queue, queue: Queue) -> QueueAltered:
    activation = None
    if queue.activation is not None and queue.activation != known.activation:
        activation = ActivationPatch(**msgspec.structs.asdict(queue.activation))
    return QueueAltered(
        database=present.name,
        name=known.name,
        is_enabled=_changed(known.is_enabled, queue.is_enabled),
        is_retention_enabled=_changed(known.is_retention_enabled, queue.is_retention_enabled),
        is_poison_message_handling_enabled=_changed(
            known.is_poison_message_handling_enabled, queue.is_poison_message_handling_enabled
        ),
        activation=activation,
        drops_activation=known.activation is not None and queue.activation is None,
    )


def _changed(before: bool, after: bool) -> bool | None:
    return None if before is after else after


def _services_put(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    for service in wanted.services.values():
        known = present.services.get(service.name)
        if known is None:
            yield ServiceCreated(database=present.name, service=service)
        elif not same_service(known, service):
            yield ServiceAltered(
                database=present.name,
                name=service.name,
                queue=None if same_name(known.queue, service.queue) else service.queue,
                adds=tuple(sorted(set(service.contracts) - set(known.contracts))),
                drops=tuple(sorted(set(known.contracts) - set(service.contracts))),
                owner=None if same_name(known.owner, service.owner) else service.owner,
            )


def _dropped_at_last(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    kept = _by_folded_name(wanted.queues)
    for queue in list(present.queues):
        if queue.casefold() not in kept:
            yield QueueDropped(database=present.name, name=queue)
    for message_type in list(present.message_types):
        if message_type not in wanted.message_types:
            yield MessageTypeDropped(database=present.name, name=message_type)


def _routes(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[CatalogChange]:
    kept = _by_folded_name(wanted.routes)
    for name in list(present.routes):
        if name.casefold() not in kept:
            yield RouteDropped(database=present.name, name=name)
    known = _by_folded_name(present.routes)
    for route in wanted.routes.values():
        key = known.get(route.name.casefold())
        if key is None:
            yield RouteCreated(database=present.name, route=route)
        elif not same_route(present.routes[key], route):
            yield from _altered_route(present, present.routes[key], route)


def _altered_route(present: DatabaseCatalog, known: Route, route: Route) -> Iterator[CatalogChange]:
    """ALTER ROUTE takes no clause away, so a route that loses one is dropped and made anew (tsql.md 1)."""
    before, after = msgspec.structs.asdict(known), msgspec.structs.asdict(route)
    del before["name"], after["name"]
    if any(after[clause] is None and before[clause] is not None for clause in after):
        yield RouteDropped(database=present.name, name=known.name)
        yield RouteCreated(database=present.name, route=route)
        return
    changed = {clause: value for clause, value in after.items() if value != before[clause]}
    yield RouteAltered(database=present.name, name=known.name, **changed)
