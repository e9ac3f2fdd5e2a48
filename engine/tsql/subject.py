"""What a change is about: the object as the catalog has it now, and as a CREATE would have it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.core.catalog.changes import (
    BrokerConversationsErrored,
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    ContractCreated,
    ContractDropped,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    EventNotificationCreated,
    EventNotificationDropped,
    HostNamesSet,
    MessageTypeAltered,
    MessageTypeCreated,
    MessageTypeDropped,
    PartnerSet,
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
from engine.core.catalog.definition_difference import (
    same_contract,
    same_endpoint,
    same_queue,
    same_route,
    same_service,
)
from engine.core.catalog.event_notifications import notification_key
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import Name, same_name, spelling_in, with_schema
from engine.core.catalog.objects import BrokerPriority, Contract, Endpoint, EventNotification, Queue, Service
from engine.core.catalog.permissions import Securable
from engine.core.catalog.reading_difference import same_reading
from engine.core.catalog.route import Route
from engine.core.catalog.security import Certificate, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    PermissionSet,
    RemoteServiceBindingAltered,
    RemoteServiceBindingCreated,
    RemoteServiceBindingDropped,
    UserCreated,
    UserDropped,
)
from engine.core.catalog.security_difference import same_binding
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, LoginDropped
from engine.core.vocabulary.identifiers import QueueName, ServiceName

Subject = object | None


def subject_of(catalog: InstanceCatalog, change: CatalogChange) -> Subject:
    """The value of what `change` is about, as it is now; None when it does not exist."""
    match change:
        case HostNamesSet():
            return catalog.host_names
        case EndpointCreated() | EndpointAltered() | EndpointDropped():
            return catalog.endpoint
        case LoginCreated():
            return _folded(catalog.logins, change.login.name)
        case LoginDropped():
            return _folded(catalog.logins, change.name)
        case ConnectPermissionSet():
            return _folded(catalog.connect_permissions, change.grantee)
        case DatabaseCreated() | DatabaseDropped() | BrokerSwitched() | BrokerRenewed() | BrokerConversationsErrored():
            return _condition(_database(catalog, change.database))
        case DatabaseStateSet() | PartnerSet() | PriorityHonoured() | TrustworthySet():
            return _condition(_database(catalog, change.database))
        case _:
            database = _database(catalog, change.database)
            return None if database is None else _inside(database, change)


def _database(catalog: InstanceCatalog, name: str) -> DatabaseCatalog | None:
    key = spelling_in(catalog.databases, name)
    return None if key is None else catalog.databases[key]


def _condition(database: DatabaseCatalog | None) -> Subject:
    if database is None:
        return None
    return (
        database.broker_instance,
        database.is_broker_enabled,
        database.state,
        database.partner_address,
        database.is_priority_honoured,
        database.is_trustworthy,
    )


def _inside(database: DatabaseCatalog, change: CatalogChange) -> Subject:
    match change:
        case MessageTypeCreated():
            return database.message_types.get(change.message_type.name)
        case MessageTypeAltered() | MessageTypeDropped():
            return database.message_types.get(change.name)
        case ContractCreated():
            return database.contracts.get(change.contract.name)
        case ContractDropped():
            return database.contracts.get(change.name)
        case QueueCreated():
            return _folded(database.queues, with_schema(change.queue.name))
        case QueueAltered() | QueueDropped():
            return _folded(database.queues, with_schema(change.name))
        case ServiceCreated():
            return database.services.get(change.service.name)
        case ServiceAltered() | ServiceDropped():
            return database.services.get(change.name)
        case RouteCreated():
            return _folded(database.routes, change.route.name)
        case RouteAltered() | RouteDropped():
            return _folded(database.routes, change.name)
        case PriorityCreated():
            return _folded(database.priorities, change.priority.name)
        case PriorityAltered() | PriorityDropped():
            return _folded(database.priorities, change.name)
        case EventNotificationCreated():
            return _notification(database, change.notification.name, change.notification.queue)
        case EventNotificationDropped():
            return _notification(database, change.name, change.queue)
        case MasterKeyCreated() | MasterKeyAltered() | MasterKeyRegenerated() | MasterKeyDropped():
            return database.master_key
        case PermissionSet():
            return _permission(database, change)
        case UserCreated():
            return _folded(database.users, change.user.name)
        case UserDropped():
            return _folded(database.users, change.name)
        case CertificateCreated():
            return _folded(database.certificates, change.certificate.name)
        case CertificateAltered() | CertificateDropped():
            return _folded(database.certificates, change.name)
        case RemoteServiceBindingCreated():
            return _folded(database.remote_service_bindings, change.binding.name)
        case RemoteServiceBindingAltered() | RemoteServiceBindingDropped():
            return _folded(database.remote_service_bindings, change.name)
        case _:
            raise AssertionError(f"{type(change).__name__} is not about what is inside a database")


def _permission(database: DatabaseCatalog, change: PermissionSet) -> Subject:
    """What the grantee of a change has on the object as it is now."""
    if change.securable is Securable.SERVICE:
        service = database.services.get(ServiceName(change.name))
        permissions = () if service is None else service.send_permissions
    else:
        queue = _folded(database.queues, with_schema(QueueName(change.name)))
        permissions = queue.receive_permissions if isinstance(queue, Queue) else ()
    return next((each for each in permissions if same_name(each.grantee, change.grantee)), None)


def _folded(objects: Mapping[Name, object], name: str) -> Subject:
    key = spelling_in(objects, name)
    return None if key is None else objects[key]


def is_defined_alike(catalog: InstanceCatalog, change: CatalogChange) -> bool:
    """Whether the object that `change` would create exists already, defined as `change` would define it.

    The instant at which a route expires counts from the statement, so two routes that both expire are alike. A
    database is alike when its broker id is.
    """
    present = subject_of(catalog, change)
    match change:
        case DatabaseCreated():
            database = _database(catalog, change.database)
            return database is not None and database.broker_instance == change.broker_instance
        case EndpointCreated():
            return isinstance(present, Endpoint) and same_endpoint(present, change.endpoint)
        case MessageTypeCreated():
            return present == change.message_type
        case ContractCreated():
            return isinstance(present, Contract) and same_contract(present, change.contract)
        case QueueCreated():
            wanted = msgspec.structs.replace(change.queue, name=with_schema(change.queue.name))
            return isinstance(present, Queue) and same_queue(present, wanted)
        case ServiceCreated():
            service = msgspec.structs.replace(change.service, queue=with_schema(change.service.queue))
            return isinstance(present, Service) and same_service(present, service)
        case RouteCreated():
            return isinstance(present, Route) and _same_route(present, change.route)
        case PriorityCreated():
            return isinstance(present, BrokerPriority) and same_reading(present, change.priority)
        case EventNotificationCreated():
            return isinstance(present, EventNotification) and same_reading(present, change.notification)
        case MasterKeyCreated():
            return present is not None
        case UserCreated():
            return isinstance(present, User) and _same_user(present, change.user)
        case LoginCreated():
            return present is not None
        case CertificateCreated():
            return isinstance(present, Certificate) and _same_certificate(present, change.certificate)
        case RemoteServiceBindingCreated():
            return isinstance(present, RemoteServiceBinding) and same_binding(present, change.binding)
        case _:
            return False


def _notification(database: DatabaseCatalog, name: str, queue: str | None) -> EventNotification | None:
    key = notification_key(database, name, queue)
    return None if key is None else database.event_notifications[key]


def _same_user(present: User, wanted: User) -> bool:
    """A user that was made because something belongs to it has no login yet, which is no contradiction."""
    if present.kind is not wanted.kind:
        return False
    return present.login is None or wanted.login is None or same_name(present.login, wanted.login)


def _same_certificate(present: Certificate, wanted: Certificate) -> bool:
    """A certificate that is made anew has another key and other dates; made for the same subject it is alike."""
    if not same_name(present.owner, wanted.owner):
        return False
    is_own = wanted.private_key is not None or wanted.is_password_protected
    has_key = present.private_key is not None or present.is_password_protected
    return present.certificate == wanted.certificate or (is_own and has_key and present.subject == wanted.subject)


def _same_route(present: Route, wanted: Route) -> bool:
    if present.expires_at is not None and wanted.expires_at is not None:
        wanted = msgspec.structs.replace(wanted, expires_at=present.expires_at)
    return same_route(present, wanted)
