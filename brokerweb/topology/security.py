"""What secures dialogs and connections, as one JSON value in a row: nobody asks the database for parts of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from engine import api as engine


class ObjectPermissions(msgspec.Struct, frozen=True, kw_only=True):
    """Who may send to a service or receive from a queue, where somebody has said so."""

    securable: engine.permissions.Securable
    name: str
    permissions: tuple[engine.permissions.Permission, ...]


class DatabaseSecurity(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a database's catalog that is about users and keys. Private keys are sealed by the engine."""

    master_key: engine.MasterKey | None = None
    users: tuple[engine.User, ...] = ()
    certificates: tuple[engine.Certificate, ...] = ()
    remote_service_bindings: tuple[engine.RemoteServiceBinding, ...] = ()
    permissions: tuple[ObjectPermissions, ...] = ()
    """Objects that are not in it are open to public."""

    def on(self, securable: engine.permissions.Securable, name: str) -> tuple[engine.permissions.Permission, ...]:
        """The permissions on a service or queue."""
        found = (each.permissions for each in self.permissions if (each.securable, each.name) == (securable, name))
        return next(found, engine.permissions.EVERYBODY)


def security_to_json(database: engine.DatabaseCatalog) -> Any:
    """The value as it is stored."""
    return msgspec.to_builtins(
        DatabaseSecurity(
            master_key=database.master_key,
            users=tuple(database.users.values()),
            certificates=tuple(database.certificates.values()),
            remote_service_bindings=tuple(database.remote_service_bindings.values()),
            permissions=tuple(_permissions_of(database)),
        )
    )


def _permissions_of(database: engine.DatabaseCatalog) -> Iterator[ObjectPermissions]:
    for service in database.services.values():
        if service.send_permissions != engine.permissions.EVERYBODY:
            yield ObjectPermissions(
                securable=engine.permissions.Securable.SERVICE, name=service.name, permissions=service.send_permissions
            )
    for queue in database.queues.values():
        if queue.receive_permissions != engine.permissions.EVERYBODY:
            yield ObjectPermissions(
                securable=engine.permissions.Securable.QUEUE, name=queue.name, permissions=queue.receive_permissions
            )


def security_from_json(stored: Any) -> DatabaseSecurity:
    """The value as it was stored; a database from before has none of it."""
    return msgspec.convert(stored, DatabaseSecurity)


class InstanceSecurity(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an instance's catalog that says who may open connections to its endpoint."""

    logins: tuple[engine.Login, ...] = ()
    connect_permissions: tuple[engine.ConnectPermission, ...] = ()


def instance_security_to_json(catalog: engine.InstanceCatalog) -> Any:
    """The value as it is stored."""
    return msgspec.to_builtins(
        InstanceSecurity(
            logins=tuple(catalog.logins.values()), connect_permissions=tuple(catalog.connect_permissions.values())
        )
    )


def instance_security_from_json(stored: Any) -> InstanceSecurity:
    """The value as it was stored; an instance from before has none of it."""
    return msgspec.convert(stored, InstanceSecurity)
