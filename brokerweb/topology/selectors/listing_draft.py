"""What a change set makes of a list: which live rows it covers, and the rows that it has in their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from brokerweb.topology.listing import Kind, listed_row, object_of
from brokerweb.topology.models import ChangeSet, Instance, ListedObject
from brokerweb.topology.object_changes import effect_of
from brokerweb.topology.selectors.drafts import DraftEdits, Key, draft_edits
from engine import api as engine

_KEPT = 4
_known: dict[tuple[object, ...], DraftEdits] = {}
"""Edits of drafts by id, sequence and when that was reached: every page of a list asks for them."""
_KEYS_AT_ONCE = 400
_OVERLAYS_KEPT = 32


class Laid(msgspec.Struct, frozen=True):
    """A row of the draft."""

    row: ListedObject
    effect: str
    """add, change or remove; what is removed is shown as it is live."""


class Overlay(msgspec.Struct, frozen=True):
    """Rows of a draft, and the ids of the live ones that they stand for."""

    rows: tuple[Laid, ...]
    covered: frozenset[int]


_overlays: dict[tuple[object, ...], Overlay] = {}
"""By everything that makes another one of them: the draft, and what is live."""


def no_overlay() -> Overlay:
    """Of what is live."""
    return Overlay((), frozenset())


def overlay_of(draft: ChangeSet, kind: Kind) -> Overlay:
    """What a draft makes of the list of a kind; the same as its merged catalogs say (engine.revisions.merge)."""
    newest = ListedObject.objects.order_by("-pk").values_list("pk", flat=True).first()
    databases = ListedObject.objects.filter(estate=draft.estate, kind=Kind.DATABASE.value).count()
    key = (draft.pk, draft.sequence, draft.changed_at, kind, draft.estate.revision, newest, databases)
    known = _overlays.get(key)
    if known is None:
        known = _overlay(draft, kind)
        while len(_overlays) >= _OVERLAYS_KEPT:
            _overlays.pop(next(iter(_overlays)), None)
        _overlays[key] = known
    return known


def _overlay(draft: ChangeSet, kind: Kind) -> Overlay:
    rows: list[Laid] = []
    covered: set[int] = set()
    instances = {row.name: row for row in draft.estate.instances.all()}
    for name, edits in known_edits(draft).edits.items():
        instance = instances.get(name) or Instance(name=name, estate=draft.estate)
        own = {
            key: edit
            for key, edit in edits.items()
            if key.kind is kind and not engine.revisions.same_object(edit.base, edit.mine)
        }
        gone, there = _databases(instance, edits)
        live = {(row.database_key, row.key): row for row in _live_rows(instance, kind, own, gone)}
        for key, edit in own.items():
            row = live.pop((key.database, key.name), None)
            if edit.mine is not None and key.database and kind is not Kind.DATABASE and key.database not in there:
                continue
            laid = _laid(instance, row, edit.mine)
            if laid is not None:
                rows.append(laid)
                if row is not None:
                    covered.add(row.pk)
        for row in live.values():
            if kind is not Kind.DATABASE and row.database_key in gone:
                rows.append(Laid(row, "remove"))
                covered.add(row.pk)
        if instance.pk is None and kind is Kind.INSTANCE and not own:
            rows.append(_new_instance(instance))
    return Overlay(tuple(rows), frozenset(covered))


def _laid(instance: Instance, row: ListedObject | None, mine: engine.revisions.CatalogObject | None) -> Laid | None:
    live = None if row is None else object_of(row)
    if engine.revisions.same_object(live, mine):
        return None
    if mine is None:
        return None if row is None else Laid(row, "remove")
    return Laid(listed_row(instance, mine), effect_of(live, mine))


def _new_instance(instance: Instance) -> Laid:
    catalog = engine.InstanceCatalog(name=engine.InstanceName(instance.name))
    found = next(iter(engine.revisions.objects_of(catalog).values()))
    return Laid(listed_row(instance, found), "add")


def _databases(instance: Instance, edits: Mapping[Key, engine.revisions.Edit]) -> tuple[set[str], set[str]]:
    """The databases that a draft removes, and all that are there with it."""
    wanted = {
        key.database: edit.mine
        for key, edit in edits.items()
        if key.kind is Kind.DATABASE and not engine.revisions.same_object(edit.base, edit.mine)
    }
    gone = {key for key, mine in wanted.items() if mine is None}
    there = {key for key, mine in wanted.items() if mine is not None}
    if instance.pk is not None:
        live = ListedObject.objects.filter(instance=instance, kind=Kind.DATABASE.value)
        there |= set(live.values_list("database_key", flat=True)) - gone
    return gone, there


def _live_rows(instance: Instance, kind: Kind, keys: Iterable[Key], gone: set[str]) -> Iterator[ListedObject]:
    """The live rows of these keys, and those in databases that the draft removes."""
    if instance.pk is None:
        return
    rows = ListedObject.objects.filter(instance=instance, kind=kind.value).select_related("instance")
    by_database: dict[str, list[str]] = {}
    for key in keys:
        if key.database not in gone or kind is Kind.DATABASE:
            by_database.setdefault(key.database, []).append(key.name)
    for database_key, names in by_database.items():
        for first in range(0, len(names), _KEYS_AT_ONCE):
            yield from rows.filter(database_key=database_key, key__in=names[first : first + _KEYS_AT_ONCE])
    if gone and kind is not Kind.DATABASE:
        yield from rows.filter(database_key__in=gone)


def known_edits(draft: ChangeSet) -> DraftEdits:
    """The edits of a draft, remembered as long as nothing happens to it."""
    key = (draft.pk, draft.sequence, draft.changed_at)
    known = _known.get(key)
    if known is None:
        known = draft_edits(draft)
        while len(_known) >= _KEPT:
            _known.pop(next(iter(_known)), None)
        _known[key] = known
    return known
