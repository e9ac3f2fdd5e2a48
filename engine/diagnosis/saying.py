"""A proposed change as a sentence: what is done to which object, and the clauses that are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.route import LocalAddress, NetworkAddress, TransportAddress

_VERBS: Final = {
    "created": "Create",
    "altered": "Alter",
    "dropped": "Drop",
    "switched": "Switch",
    "set": "Set",
}
_OBJECTS: Final = ("route", "contract", "message_type", "endpoint", "binding", "service", "queue")
_UNSAID: Final = frozenset({"database", "name", "uses", "owner", "send_permissions", "receive_permissions"})


def said(change: CatalogChange) -> str:
    """The change in one sentence."""
    tag = str(change.__struct_config__.tag)
    *kind, verb = tag.split("-")
    parts = (getattr(change, field, None) for field in _OBJECTS)
    value: Any = next((part for part in parts if isinstance(part, msgspec.Struct)), change)
    name = getattr(value, "name", None)
    database = getattr(change, "database", None)
    what = " ".join(kind) + ("" if name is None else f" {name}")
    where = "" if database is None else f" in database {database}"
    clauses = ", ".join(_clauses(value))
    return f"{_VERBS[verb]} {what}{where}{': ' if clauses else ''}{clauses}."


def _clauses(value: msgspec.Struct) -> Iterator[str]:
    defaults = dict(zip(reversed(value.__struct_fields__), reversed(value.__struct_defaults__), strict=False))
    for field in value.__struct_fields__:
        given = getattr(value, field)
        if field in _UNSAID or given is None or (field in defaults and given == defaults[field]):
            continue
        if isinstance(given, bool):
            yield f"{field.removeprefix('is_').replace('_', ' ')} {'on' if given else 'off'}"
        elif isinstance(given, msgspec.Struct) and not isinstance(
            given, LocalAddress | TransportAddress | NetworkAddress
        ):
            yield from _clauses(given)
        else:
            text = ", ".join(map(str, given)) if isinstance(given, tuple) else str(given)
            yield f"{field.replace('_', ' ')} {text}"
