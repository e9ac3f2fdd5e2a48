"""What secures dialogs and connections, as one JSON value in a row: nobody asks the database for parts of it."""

from __future__ import annotations

from typing import Any

import msgspec

from engine import api as engine


class DatabaseSecurity(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a database's catalog that is about users and keys. Private keys are sealed by the engine."""

    master_key: engine.MasterKey | None = None
    users: tuple[engine.User, ...] = ()
    certificates: tuple[engine.Certificate, ...] = ()
    remote_service_bindings: tuple[engine.RemoteServiceBinding, ...] = ()


def security_to_json(database: engine.DatabaseCatalog) -> Any:
    """The value as it is stored."""
    return msgspec.to_builtins(
        DatabaseSecurity(
            master_key=database.master_key,
            users=tuple(database.users.values()),
            certificates=tuple(database.certificates.values()),
            remote_service_bindings=tuple(database.remote_service_bindings.values()),
        )
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
