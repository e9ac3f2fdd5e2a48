"""A proposed change as a sentence: what is done to which object, and the clauses that are given.

The sentences stand with the words of the findings, by the tag of the change; clauses are named as T-SQL names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.route import LocalAddress, NetworkAddress, TransportAddress
from engine.diagnosis.words import ENGLISH, instant, phrase, phrase_text, words_in

_OBJECTS: Final = ("route", "contract", "message_type", "endpoint", "binding", "service", "queue")
_UNSAID: Final = frozenset(
    {"database", "name", "uses", "owner", "send_permissions", "receive_permissions", "verb", "grantee", "securable"}
)
_CLAUSES: Final[Mapping[str, str]] = {
    "is_enabled": "STATUS",
    "execute_as": "EXECUTE AS",
    "is_encrypted_by_server": "ENCRYPTION BY SERVICE MASTER KEY",
    "is_active_for_begin_dialog": "ACTIVE FOR BEGIN_DIALOG",
    "adds": "ADD CONTRACT",
    "drops": "DROP CONTRACT",
    "schema_collection": "SCHEMA COLLECTION",
}
"""Clauses that are called otherwise than their field."""


def said(change: CatalogChange, language: str = ENGLISH) -> str:
    """The change in one sentence."""
    words = words_in(language)
    clauses = ", ".join(_clauses(_value_of(change), language))
    return words.steps[str(change.__struct_config__.tag)].format(
        name=named(change),
        database=getattr(change, "database", None),
        verb=getattr(change, "verb", None),
        grantee=getattr(change, "grantee", None),
        clauses=words.phrases["clauses"].format(listed=clauses) if clauses else "",
    )


def named(change: CatalogChange) -> str | None:
    """The name of the object that a change is about; None where it is about the database or the instance."""
    name: str | None = getattr(_value_of(change), "name", None)
    return name


def _value_of(change: CatalogChange) -> Any:
    parts = (getattr(change, field, None) for field in _OBJECTS)
    return next((part for part in parts if isinstance(part, msgspec.Struct)), change)


def _clauses(value: msgspec.Struct, language: str) -> Iterator[str]:
    defaults = dict(zip(reversed(value.__struct_fields__), reversed(value.__struct_defaults__), strict=False))
    for field in value.__struct_fields__:
        given = getattr(value, field)
        if field in _UNSAID or given is None or (field in defaults and given == defaults[field]):
            continue
        clause = _CLAUSES.get(field, field.removeprefix("is_").removesuffix("_enabled").upper())
        if isinstance(given, bool):
            yield f"{clause} = {'ON' if given else 'OFF'}"
        elif field == "expires_at":
            yield phrase_text(phrase("lifetime_until", instant=instant(given)), language)
        elif isinstance(given, msgspec.Struct) and not isinstance(
            given, LocalAddress | TransportAddress | NetworkAddress
        ):
            yield from _clauses(given, language)
        else:
            yield f"{clause} = {', '.join(map(str, given)) if isinstance(given, tuple) else given}"
