"""Changes to who may send to a service and receive from a queue, and who that is (tsql.md 12; protocol.md 9)."""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_queue, no_such, same_name, spelling_in
from engine.core.catalog.permissions import EVERYBODY, Permission, Securable, is_permitted, without
from engine.core.catalog.security import BUILT_IN_ROLES, DBO, PUBLIC
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.security_rules import is_user
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, QueueName, ServiceName, UserName


def set_permission(database: DatabaseCatalog, change: PermissionSet) -> None:
    """Obey GRANT, DENY or REVOKE, or refuse it with a `CatalogError` (15151, 4617, 4624) and change nothing."""
    if change.securable is Securable.QUEUE:
        queue = database.queues[find_queue(database, QueueName(change.name))]
        grantee = _grantee(database, change.grantee, DBO)
        permissions = _changed(queue.receive_permissions, change.verb, grantee)
        database.queues[queue.name] = msgspec.structs.replace(queue, receive_permissions=permissions)
        return
    service = database.services.get(ServiceName(change.name))
    if service is None:
        raise no_such("service", change.name, database.name)
    grantee = _grantee(database, change.grantee, service.owner)
    permissions = _changed(service.send_permissions, change.verb, grantee)
    database.services[service.name] = msgspec.structs.replace(service, send_permissions=permissions)


def _grantee(database: DatabaseCatalog, name: UserName, owner: UserName) -> UserName:
    """The grantee as it is spelled in the database: a user that is neither administrator nor owner, or `public`."""
    if same_name(name, PUBLIC):
        return PUBLIC
    if any(same_name(name, role) for role in BUILT_IN_ROLES):
        raise CatalogError(4617, name=name)
    if same_name(name, DBO) or same_name(name, owner):
        raise CatalogError(4624, name=name)
    if not is_user(database, name):
        raise no_such("user", name, database.name)
    return spelling_in(database.users, name) or name


def _changed(permissions: tuple[Permission, ...], verb: PermissionVerb, grantee: UserName) -> tuple[Permission, ...]:
    if verb is PermissionVerb.REVOKE:
        return without(permissions, grantee)
    wanted = Permission(grantee, is_denied=verb is PermissionVerb.DENY)
    return permissions if wanted in permissions else (*without(permissions, grantee), wanted)


# --- who asks, and what for -------------------------------------------------------------------------------------------


def guarded_services(catalog: InstanceCatalog) -> frozenset[tuple[DatabaseName, ServiceName]]:
    """The services that are not open to everybody, in themselves or by their queue; of all others nobody need ask."""
    return frozenset(
        (database.name, service.name)
        for database in catalog.databases.values()
        for service in database.services.values()
        if service.send_permissions != EVERYBODY or not may_receive(database, service.name)
    )


def may_send(database: DatabaseCatalog, service: ServiceName, principal: UserName) -> bool:
    """Whether a user of `database` has SEND on one of its services; nobody has it on one that is not there."""
    found = service_of(database, service)
    return found is not None and is_permitted(found.send_permissions, principal, found.owner)


def may_receive(database: DatabaseCatalog, service: ServiceName) -> bool:
    """Whether the owner of a service, in whose name messages are put into its queue, has RECEIVE on that queue."""
    found = database.services.get(service)
    queue = None if found is None else database.queues.get(found.queue)
    return found is None or queue is None or is_permitted(queue.receive_permissions, found.owner)


def sender_within(sending: DatabaseCatalog, service: ServiceName, receiving: DatabaseCatalog) -> UserName:
    """As whom a service of the same instance counts: its owner, in another database the user of the owner's login.

    Where that database has no such user it is `public`, as for everybody who cannot prove who he is (protocol.md 9.1).
    """
    found = service_of(sending, service)
    owner = DBO if found is None else found.owner
    if sending.name == receiving.name:
        return owner
    key = spelling_in(sending.users, owner)
    login = None if key is None else sending.users[key].login
    if login is None:
        return PUBLIC
    known = (user.name for user in receiving.users.values() if user.login is not None and same_name(user.login, login))
    return next(known, PUBLIC)
