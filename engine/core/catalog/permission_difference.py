"""The changes to permissions inside one database that lead from one catalog to another (see `difference`).

They come when the users and all that permissions are on are as they are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import find_queue
from engine.core.catalog.permissions import Permission, Securable, without
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.server_changes import PermissionVerb


def permission_changes(present: DatabaseCatalog, wanted: DatabaseCatalog) -> Iterator[PermissionSet]:
    """Changes that let those send and receive who are wanted to. The caller applies each before it asks for more."""
    for service in wanted.services.values():
        known = present.services[service.name].send_permissions
        yield from _put(present, Securable.SERVICE, service.name, known, service.send_permissions)
    for queue in wanted.queues.values():
        name = find_queue(present, queue.name)
        known = present.queues[name].receive_permissions
        yield from _put(present, Securable.QUEUE, name, known, queue.receive_permissions)


def _put(
    database: DatabaseCatalog,
    securable: Securable,
    name: str,
    known: tuple[Permission, ...],
    wanted: tuple[Permission, ...],
) -> Iterator[PermissionSet]:
    for each in known:
        if without(wanted, each.grantee) == wanted:
            yield _set(database, securable, name, PermissionVerb.REVOKE, each)
    present = {(each.grantee.casefold(), each.is_denied) for each in known}
    for each in wanted:
        if (each.grantee.casefold(), each.is_denied) not in present:
            verb = PermissionVerb.DENY if each.is_denied else PermissionVerb.GRANT
            yield _set(database, securable, name, verb, each)


def _set(
    database: DatabaseCatalog, securable: Securable, name: str, verb: PermissionVerb, permission: Permission
) -> PermissionSet:
    return PermissionSet(database=database.name, securable=securable, name=name, verb=verb, grantee=permission.grantee)
