"""Who may send to a service and receive from a queue, as frozen values (protocol.md 9.3; tsql.md 12)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.security import DBO, PUBLIC
from engine.core.vocabulary.identifiers import UserName

_ADMINISTRATORS: Final = frozenset({DBO, UserName("db_owner")})
"""They have every permission, whatever was denied to `public`."""


class Securable(StrEnum):
    """What a permission is on; each kind has one that the broker asks for."""

    SERVICE = "SERVICE"
    """SEND: to begin a dialog towards it."""
    QUEUE = "QUEUE"
    """RECEIVE: that messages for a service of the user's are put there."""


class Permission(msgspec.Struct, frozen=True):
    """SEND on a service or RECEIVE on a queue, granted or denied to a user or to `public`."""

    grantee: UserName
    is_denied: bool = False


EVERYBODY: Final = (Permission(PUBLIC),)
"""With what services and queues are born here. The vendor grants nothing (docs/protocol/security.md)."""


def is_permitted(permissions: tuple[Permission, ...], principal: UserName, owner: UserName = DBO) -> bool:
    """Whether `principal` has the permission: as administrator, as owner, or because it was granted.

    What holds for `public` holds for all, and a denial counts more than a grant.
    """
    name = principal.casefold()
    if name in _ADMINISTRATORS or name == owner.casefold():
        return True
    found = [each for each in permissions if each.grantee.casefold() in (name, PUBLIC)]
    return bool(found) and not any(each.is_denied for each in found)


def without(permissions: tuple[Permission, ...], grantee: str) -> tuple[Permission, ...]:
    """The permissions less what was granted or denied to `grantee`, in any letter case."""
    name = grantee.casefold()
    return tuple(each for each in permissions if each.grantee.casefold() != name)
