"""What an object holds, field by field, as a person compares it. Keys are told apart and never shown."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final
from uuid import UUID

import msgspec

from engine.core.catalog.objects import ContractUse
from engine.core.catalog.permissions import Permission
from engine.core.catalog.route import LocalAddress, NetworkAddress, TransportAddress
from engine.core.catalog.security import ConnectPermission
from engine.core.vocabulary.dialog_security import SealedKey
from engine.revisions.objects import CatalogObject

_INSTANTS: Final = frozenset({"expires_at", "starts_at"})


def described(found: CatalogObject | None) -> dict[str, Any]:
    """The fields of an object by name: texts, numbers, yes or no, None, and lists of texts; empty for no object.

    Fields of a part carry its name in front (`activation.procedure_name`).
    """
    if found is None:
        return {}
    fields: dict[str, Any] = {}
    _describe(found.value, "", fields)
    return fields


def _describe(value: Any, prefix: str, fields: dict[str, Any]) -> None:
    for name in value.__struct_fields__:
        held = getattr(value, name)
        if name == "name" and not prefix:
            continue
        if name == "endpoint":
            _describe(held, "", fields)
        elif isinstance(held, msgspec.Struct) and not isinstance(held, _TEXTS):
            _describe(held, f"{prefix}{name}.", fields)
        elif name in _INSTANTS and held is not None:
            fields[prefix + name] = datetime.fromtimestamp(held, UTC).isoformat().replace("+00:00", "Z")
        else:
            fields[prefix + name] = _told(held)


_TEXTS: Final = (SealedKey, LocalAddress, TransportAddress, NetworkAddress)


def _told(held: Any) -> Any:
    match held:
        case SealedKey():
            return f"sealed, {_fingerprint(held.sealed)}"
        case bytes():
            return f"sha256 {_fingerprint(held)}"
        case LocalAddress() | TransportAddress() | NetworkAddress() | UUID():
            return str(held)
        case Permission() | ConnectPermission():
            return f"{'DENY' if held.is_denied else 'GRANT'} {held.grantee}"
        case ContractUse():
            return f"{held.message_type} SENT BY {held.sent_by.value}"
        case Enum():
            return held.value
        case tuple():
            return [_told(each) for each in held]
        case _:
            return held


def _fingerprint(content: bytes) -> str:
    """Enough to tell two of them apart."""
    return hashlib.sha256(content).hexdigest()[:16]
