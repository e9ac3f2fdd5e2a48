"""The only writer of catalogs: a new instance, one change applied, a copy.

A change is checked before anything is written, so a refused change, `CatalogError`, changes nothing. What DDL means
is told in `identity` (databases), `definitions` (message types, contracts, queues, services), `endpoint_rules`
(endpoint, logins), `permission_rules` and here (routes); `difference` finds the changes that lead from one catalog
to another.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.core.catalog import definitions, priorities
from engine.core.catalog.changes import (
    CatalogChange,
    ContractCreated,
    ContractDropped,
    DatabaseCreated,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    EventNotificationCreated,
    EventNotificationDropped,
    HostNamesSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    PriorityAltered,
    PriorityCreated,
    PriorityDropped,
    PriorityHonoured,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceAltered,
    ServiceCreated,
    ServiceDropped,
    TrustworthySet,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.endpoint_rules import apply_to_endpoint, apply_to_server, check_not_shown
from engine.core.catalog.event_notifications import create_event_notification, drop_event_notification
from engine.core.catalog.identity import DatabaseChange, apply_to_database
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import check_name, find_database, find_route, spelling_in
from engine.core.catalog.permission_rules import set_permission
from engine.core.catalog.route_rules import check_route
from engine.core.catalog.security_changes import PermissionSet, SecurityChange
from engine.core.catalog.security_rules import apply_security
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, LoginDropped, ServerChange
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import MASTER, MSDB, BrokerInstanceId, InstanceName

DefinitionChange = (
    MessageTypeCreated
    | MessageTypeAltered
    | MessageTypeDropped
    | ContractCreated
    | ContractDropped
    | QueueCreated
    | QueueAltered
    | QueueDropped
    | ServiceCreated
    | ServiceAltered
    | ServiceDropped
    | PriorityCreated
    | PriorityAltered
    | PriorityDropped
    | PriorityHonoured
    | TrustworthySet
    | EventNotificationCreated
    | EventNotificationDropped
    | RouteCreated
    | RouteAltered
    | RouteDropped
)
"""Changes to what is defined inside one database."""

InstanceChange = HostNamesSet | EndpointCreated | EndpointAltered | EndpointDropped | ServerChange
"""Changes to the instance itself."""


def new_instance(name: InstanceName, entropy: Entropy) -> InstanceCatalog:
    """An instance as set-up leaves it: `master` without catch-all route and broker, `msdb` with both, no endpoint."""
    check_name(name)
    catalog = InstanceCatalog(name=name)
    for database in (MASTER, MSDB):
        born = DatabaseCreated(database=database, broker_instance=BrokerInstanceId(entropy.new_uuid()))
        apply_change(catalog, born)
    return catalog


def copy(catalog: InstanceCatalog) -> InstanceCatalog:
    """A catalog that can be changed without changing `catalog`; the frozen definitions are shared."""
    return msgspec.structs.replace(
        catalog, databases={name: _copy_of(database) for name, database in catalog.databases.items()}
    )


def _copy_of(database: DatabaseCatalog) -> DatabaseCatalog:
    # What is found in any spelling, queues and routes among them, is copied by the new catalog itself.
    return msgspec.structs.replace(
        database,
        message_types=dict(database.message_types),
        contracts=dict(database.contracts),
        services=dict(database.services),
    )


def apply_changes(catalog: InstanceCatalog, changes: Iterable[CatalogChange]) -> InstanceCatalog:
    """The catalog as all `changes` leave it; `catalog` itself stays as it is, whether they are refused or not."""
    changed = copy(catalog)
    for change in changes:
        apply_change(changed, change)
    return changed


def apply_change(catalog: InstanceCatalog, change: CatalogChange) -> None:
    """Obey one change, or refuse it with a `CatalogError` and change nothing. The revision number is not touched."""
    if isinstance(change, InstanceChange):
        _apply_to_instance(catalog, change)
    elif isinstance(change, DatabaseChange):
        apply_to_database(catalog, change)
    elif isinstance(change, PermissionSet):
        set_permission(find_database(catalog, change.database), change)
    elif isinstance(change, SecurityChange):
        check_not_shown(catalog, change)
        apply_security(find_database(catalog, change.database), change)
    else:
        _apply_inside(find_database(catalog, change.database), change)


def _apply_inside(database: DatabaseCatalog, change: DefinitionChange) -> None:
    match change:
        case MessageTypeCreated():
            definitions.create_message_type(database, change)
        case MessageTypeAltered():
            definitions.alter_message_type(database, change)
        case MessageTypeDropped():
            definitions.drop_message_type(database, change)
        case ContractCreated():
            definitions.create_contract(database, change)
        case ContractDropped():
            definitions.drop_contract(database, change)
        case QueueCreated():
            definitions.create_queue(database, change)
        case QueueAltered():
            definitions.alter_queue(database, change)
        case QueueDropped():
            definitions.drop_queue(database, change)
        case ServiceCreated():
            definitions.create_service(database, change)
        case ServiceAltered():
            definitions.alter_service(database, change)
        case ServiceDropped():
            definitions.drop_service(database, change)
        case PriorityCreated():
            priorities.create_priority(database, change)
        case PriorityAltered():
            priorities.alter_priority(database, change)
        case PriorityDropped():
            priorities.drop_priority(database, change)
        case PriorityHonoured():
            database.is_priority_honoured = change.is_honoured
        case TrustworthySet():
            database.is_trustworthy = change.is_trustworthy
        case EventNotificationCreated():
            create_event_notification(database, change)
        case EventNotificationDropped():
            drop_event_notification(database, change)
        case RouteCreated():
            _create_route(database, change)
        case RouteAltered():
            _alter_route(database, change)
        case RouteDropped():
            del database.routes[find_route(database, change.name)]


def _create_route(database: DatabaseCatalog, change: RouteCreated) -> None:
    check_route(change.route)
    if spelling_in(database.routes, change.route.name) is not None:
        raise CatalogError(2714, name=change.route.name)
    database.routes[change.route.name] = change.route


def _alter_route(database: DatabaseCatalog, change: RouteAltered) -> None:
    route = database.routes[find_route(database, change.name)]
    clauses = ("address", "service_name", "broker_instance", "expires_at", "mirror_address")
    given = {clause: value for clause in clauses if (value := getattr(change, clause)) is not None}
    altered = msgspec.structs.replace(route, **given)
    check_route(altered)
    database.routes[route.name] = altered


def _apply_to_instance(catalog: InstanceCatalog, change: InstanceChange) -> None:
    match change:
        case HostNamesSet():
            catalog.host_names = _checked_host_names(change.host_names)
        case EndpointCreated() | EndpointAltered() | EndpointDropped():
            apply_to_endpoint(catalog, change)
        case LoginCreated() | LoginDropped() | ConnectPermissionSet():
            apply_to_server(catalog, change)


def _checked_host_names(host_names: Iterable[str]) -> tuple[str, ...]:
    """Lower case, each once, in order; a host name has no blanks (153)."""
    for host_name in host_names:
        check_name(host_name)
        if any(character.isspace() for character in host_name):
            raise CatalogError(153, name=host_name, value="A blank", detail="host names have none")
    return tuple(dict.fromkeys(host_name.lower() for host_name in host_names))
