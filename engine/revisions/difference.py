"""Which objects two catalogs differ in. Objects are shared values, so what is the same costs next to nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.revisions.objects import (
    SECTIONS,
    CatalogObject,
    ObjectKey,
    ObjectKind,
    database_at,
    object_key,
    objects_in,
    of_instance,
    own_of_database,
    same_object,
    same_value,
)


class ObjectChange(msgspec.Struct, frozen=True):
    """One object that is not the same in two catalogs."""

    key: ObjectKey
    before: CatalogObject | None
    after: CatalogObject | None


def changed_objects(before: InstanceCatalog, after: InstanceCatalog) -> list[ObjectChange]:
    """Every object that is made, changed or gone between two catalogs of one instance; none twice."""
    changes = list(_compared({each.key: each for each in of_instance(before)}, of_instance(after)))
    for database in before.databases.values():
        successor = database_at(after, database.name.casefold())
        if successor is None:
            changes.extend(ObjectChange(each.key, each, None) for each in objects_in(database))
        elif successor is not database:
            changes.extend(_inside(database, successor))
    for database in after.databases.values():
        if database_at(before, database.name.casefold()) is None:
            changes.extend(ObjectChange(each.key, None, each) for each in objects_in(database))
    return changes


def _compared(before: Mapping[ObjectKey, CatalogObject], after: Iterator[CatalogObject]) -> Iterator[ObjectChange]:
    gone = dict(before)
    for each in after:
        known = gone.pop(each.key, None)
        if not same_object(known, each):
            yield ObjectChange(each.key, known, each)
    yield from (ObjectChange(key, each, None) for key, each in gone.items())


def _inside(before: DatabaseCatalog, after: DatabaseCatalog) -> Iterator[ObjectChange]:
    yield from _compared({each.key: each for each in own_of_database(before)}, own_of_database(after))
    for kind, section in SECTIONS.items():
        yield from _in_section(kind, before, after, getattr(before, section), getattr(after, section))


def _in_section(
    kind: ObjectKind, before: DatabaseCatalog, after: DatabaseCatalog, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[ObjectChange]:
    """Names that are in both under one spelling are compared first: there are many of them, and most are the same."""
    made = {}
    for name, value in new.items():
        known = old.get(name)
        if known is None:
            made[object_key(after.name, kind, name)] = CatalogObject(kind, after.name, name, value)
        elif not same_value(known, value):
            was, is_now = (CatalogObject(kind, after.name, name, held) for held in (known, value))
            yield ObjectChange(is_now.key, was, is_now)
    for name, value in old.items():
        if name in new:
            continue
        was = CatalogObject(kind, before.name, name, value)
        successor = made.pop(was.key, None)
        if not same_object(was, successor):
            yield ObjectChange(was.key, was, successor)
    yield from (ObjectChange(key, None, each) for key, each in made.items())
