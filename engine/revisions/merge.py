"""Three catalogs into one, object by object: what a draft was made from, what is there now, what the draft wants.

An object that one side alone has changed is taken from there. Where both have changed it to different things it is a
conflict, and so is an object whose home the other side has taken away: nothing is lost that nobody was told of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.revisions.difference import changed_objects
from engine.revisions.objects import (
    INSTANCE_LEVEL,
    CatalogObject,
    ObjectKey,
    ObjectKind,
    database_at,
    object_at,
    objects_in,
    same_object,
    with_objects,
)


class Edit(msgspec.Struct, frozen=True):
    """What a draft wants of one object, and what it was made from. None is: no such object."""

    base: CatalogObject | None
    mine: CatalogObject | None


class MergedObject(msgspec.Struct, frozen=True):
    """An object that a draft changes, as each side has it."""

    key: ObjectKey
    base: CatalogObject | None
    theirs: CatalogObject | None
    mine: CatalogObject | None
    is_conflict: bool = False
    is_homeless: bool = False
    """Its database is gone on the other side, so that it can only be given up, or its database be made again."""


class Merge(msgspec.Struct, frozen=True):
    """One catalog of two, and what in it is the draft's."""

    catalog: InstanceCatalog
    """What the draft would have: in a conflict, its own."""
    objects: tuple[MergedObject, ...]
    """Every object that the draft changes, and every conflict."""

    @property
    def conflicts(self) -> tuple[MergedObject, ...]:
        return tuple(each for each in self.objects if each.is_conflict)


def edits_between(base: InstanceCatalog, mine: InstanceCatalog) -> dict[ObjectKey, Edit]:
    """What somebody wants who has made `mine` of `base`."""
    return {change.key: Edit(change.before, change.after) for change in changed_objects(base, mine)}


def merge(theirs: InstanceCatalog, edits: Mapping[ObjectKey, Edit]) -> Merge:
    """What `theirs` becomes with `edits`, each of which was made from a base that `theirs` may have left behind."""
    found = list(_own(theirs, edits))
    removed = {each.key.database for each in found if each.key.kind is ObjectKind.DATABASE and each.mine is None}
    known = {each.key for each in found}
    for folded_name in sorted(removed):
        found.extend(_unforeseen(theirs, folded_name, known))
    there = {name.casefold() for name in theirs.databases} - removed
    there |= {each.key.database for each in found if each.key.kind is ObjectKind.DATABASE and each.mine is not None}
    placed = [_with_home(each, there) for each in found]
    puts = {each.key: each.mine for each in placed if not each.is_homeless}
    return Merge(with_objects(theirs, puts), tuple(placed))


def _own(theirs: InstanceCatalog, edits: Mapping[ObjectKey, Edit]) -> Iterator[MergedObject]:
    for key, edit in edits.items():
        if same_object(edit.base, edit.mine):
            continue
        now = object_at(theirs, key)
        if not same_object(now, edit.mine):
            is_conflict = not same_object(now, edit.base)
            yield MergedObject(key, edit.base, now, edit.mine, is_conflict=is_conflict)


def _unforeseen(theirs: InstanceCatalog, folded_name: str, known: set[ObjectKey]) -> Iterator[MergedObject]:
    """What has come into a database that the draft removes."""
    database = database_at(theirs, folded_name)
    if database is not None:
        for each in objects_in(database):
            if each.key not in known:
                yield MergedObject(each.key, None, each, None, is_conflict=True)


def _with_home(each: MergedObject, databases: set[str]) -> MergedObject:
    home = each.key.database
    if home == INSTANCE_LEVEL or home in databases or each.mine is None:
        return each
    return msgspec.structs.replace(each, is_conflict=True, is_homeless=True)
