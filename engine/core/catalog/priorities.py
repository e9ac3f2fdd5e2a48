"""Conversation priorities: how they are defined, and which level a new endpoint gets (protocol.md 11, tsql.md 7)."""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import contract_of, service_of
from engine.core.catalog.changes import PriorityAltered, PriorityCreated, PriorityDropped
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import check_name, is_service_name, no_such, spelling_in
from engine.core.catalog.objects import ANY, BrokerPriority
from engine.core.vocabulary.errors import CatalogError, number_text
from engine.core.vocabulary.identifiers import ContractName, PriorityName, ServiceName
from engine.core.vocabulary.limits import (
    PRIORITY_LEVEL_DEFAULT,
    PRIORITY_LEVEL_MAX,
    PRIORITY_LEVEL_MIN,
    SERVICE_NAME_LENGTH_MAX,
)


def priority_level(
    database: DatabaseCatalog, contract: ContractName, local_service: ServiceName, remote_service: ServiceName
) -> int:
    """The level of an endpoint that is made now: of the most exact definition that fits, else 5 (protocol.md 11)."""
    if not database.priorities:
        return PRIORITY_LEVEL_DEFAULT
    levels = {_criteria(each): each.level for each in database.priorities.values()}
    for of_contract in (contract, None):
        for local, remote in (
            (local_service, remote_service),
            (local_service, None),
            (None, remote_service),
            (None, None),
        ):
            level = levels.get((of_contract, local, remote))
            if level is not None:
                return level
    return PRIORITY_LEVEL_DEFAULT


Criteria = tuple[ContractName | None, ServiceName | None, ServiceName | None]


def _criteria(priority: BrokerPriority) -> Criteria:
    return priority.contract, priority.local_service, priority.remote_service


def create_priority(database: DatabaseCatalog, change: PriorityCreated) -> None:
    """CREATE BROKER PRIORITY."""
    check_name(change.priority.name)
    if spelling_in(database.priorities, change.priority.name) is not None:
        raise CatalogError(2714, name=change.priority.name)
    _check(database, change.priority)
    database.priorities[change.priority.name] = change.priority


def alter_priority(database: DatabaseCatalog, change: PriorityAltered) -> None:
    """ALTER BROKER PRIORITY: clauses not given stay; endpoints that exist keep their level."""
    known = database.priorities[_find(database, change.name)]
    given = {
        field: None if value == ANY else value
        for field in ("contract", "local_service", "remote_service", "level")
        if (value := getattr(change, field)) is not None
    }
    altered = msgspec.structs.replace(known, **given)
    _check(database, altered)
    database.priorities[known.name] = altered


def drop_priority(database: DatabaseCatalog, change: PriorityDropped) -> None:
    """DROP BROKER PRIORITY."""
    del database.priorities[_find(database, change.name)]


def _find(database: DatabaseCatalog, name: str) -> PriorityName:
    key = spelling_in(database.priorities, name)
    if key is None:
        raise no_such("broker priority", name, database.name)
    return key


def _check(database: DatabaseCatalog, priority: BrokerPriority) -> None:
    """Refuse a level outside 1 to 10, names that do not exist here, and criteria that another one has."""
    name = priority.name
    if not PRIORITY_LEVEL_MIN <= priority.level <= PRIORITY_LEVEL_MAX:
        value, detail = f"PRIORITY_LEVEL = {number_text(priority.level)}", "levels are 1 to 10"
        raise CatalogError(153, name=name, value=value, detail=detail)
    if priority.contract is not None and contract_of(database, priority.contract) is None:
        raise no_such("contract", priority.contract, database.name)
    if priority.local_service is not None and service_of(database, priority.local_service) is None:
        raise no_such("service", priority.local_service, database.name)
    remote = priority.remote_service
    if remote is not None and not is_service_name(remote):
        raise CatalogError(8412, service=remote, limit=SERVICE_NAME_LENGTH_MAX)
    for other in database.priorities.values():
        if other.name.casefold() != name.casefold() and _criteria(other) == _criteria(priority):
            detail = f"priority '{other.name}' has the same criteria"
            raise CatalogError(153, name=name, value="The combination of contract and services", detail=detail)
