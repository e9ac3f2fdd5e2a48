"""What DDL does to logins and to the permission to connect, as values; part of the union in `changes`."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.security import Login
from engine.core.vocabulary.identifiers import EndpointName, LoginName


class PermissionVerb(StrEnum):
    """What is done to a permission (tsql.md 12)."""

    GRANT = "GRANT"
    DENY = "DENY"
    REVOKE = "REVOKE"


class _Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="change"):
    """Common base; logins and permissions belong to the instance."""


class LoginCreated(_Change, frozen=True, tag="login-created"):
    """CREATE LOGIN."""

    login: Login


class LoginDropped(_Change, frozen=True, tag="login-dropped"):
    """DROP LOGIN: its permissions go with it, users that it stood behind become orphans."""

    name: LoginName


class ConnectPermissionSet(_Change, frozen=True, tag="connect-permission-set"):
    """GRANT, DENY or REVOKE CONNECT ON ENDPOINT::name; the grantee is a login or `public`."""

    name: EndpointName
    verb: PermissionVerb
    grantee: LoginName


ServerChange = LoginCreated | LoginDropped | ConnectPermissionSet
