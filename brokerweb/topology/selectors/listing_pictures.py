"""Lists and objects as the API tells them, and lists as files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.paging import shown_page
from brokerweb.common.spreadsheet import csv_lines
from brokerweb.topology.listing import Kind, object_of
from brokerweb.topology.models import ChangeSet, Estate, ListedObject
from brokerweb.topology.names import fold
from brokerweb.topology.object_edits import creation_of
from brokerweb.topology.selectors.drafts import change_set_of
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.selectors.listing import Found, ListAsked, ObjectList
from brokerweb.topology.selectors.listing_draft import no_overlay, overlay_of
from brokerweb.topology.selectors.listing_usage import Target, target_of, usage_counts, users_of
from brokerweb.topology.summaries import kind_word
from engine import api as engine

USERS_SHOWN_MAX = 100
_NO_ID = UUID(int=1)
"""Broker id of the database around an object whose T-SQL is written; no statement of it is shown."""


class Place(msgspec.Struct, frozen=True):
    """Which object of a kind."""

    instance: str
    database: str | None
    name: str


def object_page(
    estate_name: str, asked: ListAsked, *, change_set: int | None, page: int, rows: int
) -> tuple[ObjectList, dict[str, Any]]:
    """A page of a list; in place of one behind the last, the last one."""
    found = ObjectList(estate_name, asked, change_set)
    page, pages, part = shown_page(page, found.total, rows)
    some = found.slice(part.start, part.stop) if found.total else []
    usage = usage_counts(found.estate, found.draft, asked.kind, [each.row for each in some])
    return found, {
        "kind": asked.kind.value,
        "total": found.total,
        "page": page,
        "pages": pages,
        "items": [_picture(each, usage, found.now) for each in some],
    }


def object_picture(estate_name: str, kind: Kind, place: Place, *, change_set: int | None) -> dict[str, Any]:
    """One object with what uses it and its T-SQL; `ObjectNotFound` when there is none."""
    estate = estate_of(estate_name)
    draft = None if change_set is None else change_set_of(estate, change_set)
    each = _find(estate, draft, kind, place)
    if each is None:
        home = "" if place.database is None else _(" in {database}").format(database=place.database)
        raise ObjectNotFound(
            _("There is no {value} {name}{home} on {instance}.").format(
                value=kind_word(kind.value), name=place.name, home=home, instance=place.instance
            )
        )
    usage = usage_counts(estate, draft, kind, [each.row])
    return {
        **_picture(each, usage, timezone.now().timestamp()),
        "users": [_name(row) for row in users_of(estate, draft, each.row, USERS_SHOWN_MAX)],
        "tsql": statement_text(each.row),
    }


def _find(estate: Estate, draft: ChangeSet | None, kind: Kind, place: Place) -> Found | None:
    key = engine.revisions.object_key(place.database, kind, place.name)
    overlay = no_overlay() if draft is None else overlay_of(draft, kind)
    for laid in overlay.rows:
        row = laid.row
        if (fold(row.instance.name), row.database_key, row.key) == (fold(place.instance), key.database, key.name):
            return Found(row, laid.effect)
    rows = ListedObject.objects.select_related("instance").filter(
        estate=estate,
        instance__folded_name=fold(place.instance),
        kind=kind.value,
        database_key=key.database,
        key=key.name,
    )
    live = rows.first()
    return None if live is None else Found(live)


def list_csv(estate_name: str, asked: ListAsked, *, change_set: int | None) -> Iterator[str]:
    """A list as comma-separated values, all of it."""
    found = ObjectList(estate_name, asked, change_set)
    fields = _fields(asked.kind)
    columns = ["instance", *([] if asked.kind in _OF_INSTANCE else ["database"]), "name", *fields, "in_change_set"]
    return csv_lines(columns, _cells(found, asked.kind, fields))


_OF_INSTANCE = (Kind.INSTANCE, Kind.ENDPOINT, Kind.LOGIN)


def _cells(found: ObjectList, kind: Kind, fields: list[str]) -> Iterator[list[Any]]:
    for each in found.all():
        held = engine.revisions.described(object_of(each.row))
        home = [] if kind in _OF_INSTANCE else [each.row.database]
        yield [each.row.instance.name, *home, each.row.name, *(held.get(field) for field in fields), each.effect]


def _fields(kind: Kind) -> list[str]:
    """The names of the fields of a kind, those of a part with its name in front, as `described` gives them."""
    return list(_names_in(_STRUCTS[kind], ""))


def _names_in(struct: Any, prefix: str) -> Iterator[str]:
    for field in msgspec.structs.fields(struct):
        part = _PARTS.get((prefix, field.name))
        if field.name == "name" and not prefix:
            continue
        if field.name == "endpoint":
            yield from _names_in(engine.Endpoint, "")
        elif part is not None:
            yield from _names_in(part, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name


_PARTS: dict[tuple[str, str], Any] = {
    ("", "activation"): engine.Activation,
    ("", "reference"): engine.CertificateReference,
}
_STRUCTS: dict[Kind, Any] = engine.revisions.VALUES


def _picture(each: Found, usage: dict[Target, int] | None, now: float) -> dict[str, Any]:
    row = each.row
    return {
        **_name(row),
        "fields": engine.revisions.described(object_of(row)),
        "is_expired": row.expires_at <= now,
        "used_by": None if usage is None else usage.get(target_of(row), 0),
        "effect": each.effect,
    }


def _name(row: ListedObject) -> dict[str, Any]:
    return {"instance": row.instance.name, "database": row.database or None, "kind": row.kind, "name": row.name}


def statement_text(row: ListedObject) -> str:
    """The T-SQL that makes an object, without the place it is run in; empty where no statement does."""
    found = object_of(row)
    change = creation_of(found)
    if change is None:
        return ""
    catalog = engine.InstanceCatalog(name=engine.InstanceName(row.instance.name))
    if found.database is not None:
        home = engine.DatabaseCatalog(name=found.database, broker_instance=engine.BrokerInstanceId(_NO_ID))
        catalog.databases[found.database] = home
    return engine.scripts.change_text(change, catalog)
