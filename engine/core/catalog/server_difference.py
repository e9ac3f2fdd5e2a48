"""The changes to endpoint, logins and permissions that lead from one instance to another (see `difference`).

Yields while the caller applies. An endpoint stands on a certificate of `master`: before the databases change it lets go
of one that must go or be made anew, and only afterwards it is brought to what is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from engine.core.catalog.changes import CatalogChange, EndpointAltered, EndpointCreated, EndpointDropped
from engine.core.catalog.endpoint_rules import LISTEN_EVERYWHERE, certificate_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import same_name, spelling_in
from engine.core.catalog.objects import DEFAULT_AUTHENTICATION, Endpoint
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, LoginDropped, PermissionVerb
from engine.core.vocabulary.identifiers import MASTER


def server_changes_before(present: InstanceCatalog, wanted: InstanceCatalog) -> Iterator[CatalogChange]:
    """What must come before the databases change. The caller applies each before it asks for the next."""
    for login in wanted.logins.values():
        if spelling_in(present.logins, login.name) is None:
            yield LoginCreated(login=login)
    endpoint = present.endpoint
    if endpoint is None:
        return
    if wanted.endpoint is None or not same_name(endpoint.name, wanted.endpoint.name):
        yield EndpointDropped(name=endpoint.name)
    elif certificate_of(present) is not None and _master(present) != _master(wanted):
        yield EndpointAltered(name=endpoint.name, authentication=DEFAULT_AUTHENTICATION)


def _master(catalog: InstanceCatalog) -> object:
    """All that may take part in making a certificate anew: one goes with its owner."""
    master = catalog.databases.get(MASTER)
    return None if master is None else (master.users, master.certificates, master.master_key)


def server_changes_after(present: InstanceCatalog, wanted: InstanceCatalog) -> Iterator[CatalogChange]:
    """What is left when the databases are as they are wanted. The caller applies each before it asks for the next."""
    if wanted.endpoint is not None:
        yield from _endpoint_put(present.endpoint, wanted.endpoint)
        yield from _permissions(present, wanted, wanted.endpoint)
    for login in list(present.logins.values()):
        if spelling_in(wanted.logins, login.name) is None:
            yield LoginDropped(name=login.name)


def _endpoint_put(present: Endpoint | None, wanted: Endpoint) -> Iterator[CatalogChange]:
    if present is None:
        yield EndpointCreated(endpoint=wanted)
        return
    before, after = msgspec.structs.asdict(present), msgspec.structs.asdict(wanted)
    changed = {key: value for key, value in after.items() if key != "name" and before[key] != value}
    if "listener_ip" in changed:
        changed["listener_ip"] = changed["listener_ip"] or LISTEN_EVERYWHERE
    if changed:
        yield EndpointAltered(name=present.name, **changed)


def _permissions(present: InstanceCatalog, wanted: InstanceCatalog, endpoint: Endpoint) -> Iterator[CatalogChange]:
    for grantee in list(present.connect_permissions):
        if spelling_in(wanted.connect_permissions, grantee) is None:
            yield ConnectPermissionSet(name=endpoint.name, verb=PermissionVerb.REVOKE, grantee=grantee)
    for permission in wanted.connect_permissions.values():
        key = spelling_in(present.connect_permissions, permission.grantee)
        if key is None or present.connect_permissions[key].is_denied is not permission.is_denied:
            verb = PermissionVerb.DENY if permission.is_denied else PermissionVerb.GRANT
            yield ConnectPermissionSet(name=endpoint.name, verb=verb, grantee=permission.grantee)
