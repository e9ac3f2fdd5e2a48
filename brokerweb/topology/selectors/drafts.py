"""What a draft would make of its estate: the live catalogs as they are now, and what the draft wants, merged.

A draft keeps what its decisions made of objects, not the changes: those could not be repeated on a catalog that has
gone on (ADR 23). An object counts as changed from what it was when the draft first touched it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TypeVar

import msgspec
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import ChangeSet, Decision, Estate, Instance
from brokerweb.topology.object_changes import objects_from
from brokerweb.topology.selectors.catalogs import instance_catalog, live_state
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.selectors.parts import pieces_of, touches
from engine import api as engine

Key = engine.revisions.ObjectKey
Kept = TypeVar("Kept")


class DraftEdits(msgspec.Struct, frozen=True):
    """What a draft wants, by instance and object."""

    edits: dict[str, dict[Key, engine.revisions.Edit]]
    acknowledged: frozenset[tuple[str, Key]]
    """Objects about which somebody has decided that the draft's way it goes."""


class DraftInstance(msgspec.Struct, frozen=True):
    """One instance as it is live and as the draft would have it. `is_new`: only the draft knows it."""

    live: engine.InstanceCatalog
    merge: engine.revisions.Merge
    is_new: bool


NO_EDITS = DraftEdits({}, frozenset())


def change_set_of(estate: Estate, number: int) -> ChangeSet:
    """The change set of that number; `ObjectNotFound` when there is none."""
    found = ChangeSet.objects.select_related("estate", "author").filter(estate=estate, number=number).first()
    if found is None:
        raise ObjectNotFound(_("Estate {name} has no change set #{number}.").format(name=estate.name, number=number))
    return found


def change_set_at(estate_name: str, number: int) -> ChangeSet:
    """As `change_set_of`, by the name of the estate; `ObjectNotFound` when there is none."""
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {estate_name}.").format(estate_name=estate_name))
    return change_set_of(estate, number)


def draft_decisions(change_set: ChangeSet) -> QuerySet[Decision]:
    """Everything that was ever decided in a draft, oldest first."""
    return Decision.objects.filter(change_set=change_set, revision=None).order_by("sequence")


def draft_touches(change_set: ChangeSet, kind: str) -> bool:
    """Whether a draft may change objects of a kind; where it does not, the live ones are those of the draft."""
    return draft_decisions(change_set).filter(is_undone=False).filter(touches(f"\t{kind}\t")).exists()


def draft_edits(change_set: ChangeSet) -> DraftEdits:
    """What is left of a draft's decisions when those that are undone are left out."""
    return _folded(change_set).edits


def edits_of(decisions: Iterable[str], known: DraftEdits = NO_EDITS) -> DraftEdits:
    """What decisions amount to on top of earlier ones, given their objects as the log keeps them, in order."""
    edits = {name: dict(of_instance) for name, of_instance in known.edits.items()}
    acknowledged = set(known.acknowledged)
    for objects in decisions:
        for each in objects_from(objects):
            of_instance = edits.setdefault(each.instance, {})
            known = of_instance.get(each.key)
            base = known.base if known is not None else each.before
            if known is not None and engine.revisions.same_object(known.base, known.mine):
                # Nothing was left of what the draft wanted here, so what was seen and changed now was the live one.
                base = each.before
                acknowledged.discard((each.instance, each.key))
            if each.is_rebased:
                base = each.base
                acknowledged.add((each.instance, each.key))
            of_instance[each.key] = engine.revisions.Edit(base, each.after)
    return DraftEdits(edits, frozenset(acknowledged))


def draft_instances(change_set: ChangeSet) -> dict[str, DraftInstance]:
    """Every instance of the estate with the draft, by name in order; those that only the draft has too."""
    merged = _merged(change_set)
    if not merged.is_whole:
        if not merged.live.is_whole:
            merged.live.catalogs = live_catalogs(change_set.estate)
            merged.live.is_whole = True
        live = merged.live.catalogs
        for name in live.keys() | merged.edits.keys():
            if name not in merged.instances:
                merged.instances[name] = _draft_instance(name, live.get(name), merged.edits.get(name, {}))
        merged.is_whole = True
    return {name: merged.instances[name] for name in sorted(merged.instances)}


def draft_instance(change_set: ChangeSet, name: str) -> DraftInstance:
    """One instance with the draft."""
    merged = _merged(change_set)
    known = merged.instances.get(name)
    if known is None:
        live = _live_catalog(merged.live, change_set.estate, name)
        known = _draft_instance(name, live, merged.edits.get(name, {}))
        if live is not None or name in merged.edits:
            merged.instances[name] = known
    return known


def _live_catalog(live: _Live, estate: Estate, name: str) -> engine.InstanceCatalog | None:
    if name not in live.catalogs and not live.is_whole:
        row = Instance.objects.filter(estate=estate, name=name).first()
        if row is not None:
            live.catalogs[name] = instance_catalog(row)
    return live.catalogs.get(name)


def _draft_instance(
    name: str, live: engine.InstanceCatalog | None, edits: dict[Key, engine.revisions.Edit]
) -> DraftInstance:
    catalog = live or engine.InstanceCatalog(name=engine.InstanceName(name))
    return DraftInstance(live=catalog, merge=engine.revisions.merge(catalog, edits), is_new=live is None)


def draft_catalogs(change_set: ChangeSet) -> dict[str, engine.InstanceCatalog]:
    """The catalog of every instance as the draft would have it, by name."""
    return {name: each.merge.catalog for name, each in draft_instances(change_set).items()}


def draft_misfits(change_set: ChangeSet) -> dict[str, engine.CatalogError]:
    """Instances that cannot be what the draft makes of them, each with the rule that it would break."""
    instances = draft_instances(change_set)
    merged = _merged(change_set)
    for name, each in instances.items():
        if name not in merged.misfits:
            merged.misfits[name] = _misfit_of(each)
    return {name: error for name in instances if (error := merged.misfits[name]) is not None}


def _misfit_of(each: DraftInstance) -> engine.CatalogError | None:
    try:
        engine.diff_catalogs(each.live, each.merge.catalog)
    except engine.CatalogError as error:
        return error
    return None


# --- what a process remembers of drafts ----------------------------------------------------------------------------


class _Folded(msgspec.Struct, frozen=True):
    """Decisions that stand, by number and instant, and what they amount to."""

    decisions: tuple[tuple[int, datetime], ...] = ()
    edits: DraftEdits = NO_EDITS


class _Live(msgspec.Struct):
    """One state of an estate, as far as somebody has asked: to read it takes longer than to merge a draft with it."""

    state: tuple[object, ...]
    catalogs: dict[str, engine.InstanceCatalog]
    is_whole: bool = False
    """Whether `catalogs` has all of them."""


class _Merged(msgspec.Struct):
    """A draft merged with one state of its estate, as far as somebody has asked."""

    live: _Live
    decisions: tuple[tuple[int, datetime], ...]
    edits: dict[str, dict[Key, engine.revisions.Edit]]
    instances: dict[str, DraftInstance]
    misfits: dict[str, engine.CatalogError | None]
    is_whole: bool = False
    """Whether `instances` has all of them."""


_KEPT = 8
"""Drafts that a process remembers; a draft of 10,000 objects takes some 10 MB."""
_foldings: dict[int, _Folded] = {}
_mergings: dict[int, _Merged] = {}


def _folded(change_set: ChangeSet) -> _Folded:
    """The draft's decisions folded. What was folded before is not read again, as long as all of it stands.

    Number and instant together name a decision for good: a transaction that is rolled back gives its number away.
    """
    rows = draft_decisions(change_set).filter(is_undone=False)
    standing = tuple(rows.values_list("sequence", "decided_at"))
    known = _foldings.get(change_set.pk, _Folded())
    count = len(known.decisions)
    if standing == known.decisions:
        return known
    if count == 0 or standing[:count] != known.decisions:
        known = _Folded()
    else:
        rows = rows.filter(sequence__gt=known.decisions[-1][0])
    read: list[tuple[int, datetime]] = []

    def objects() -> Iterator[str]:
        wanted = rows.only("sequence", "decided_at", "objects_changed", "part_count")
        for row in wanted.iterator(chunk_size=100):
            read.append((row.sequence, row.decided_at))
            yield from pieces_of(row, "objects_changed")

    edits = edits_of(objects(), known.edits)
    folded = _Folded((*known.decisions, *read), edits)
    _keep(_foldings, change_set.pk, folded)
    return folded


def _merged(change_set: ChangeSet) -> _Merged:
    folded = _folded(change_set)
    live = live_state(change_set.estate)
    known = _mergings.get(change_set.pk)
    if known is None or known.live.state != live:
        known = _Merged(_Live(live, {}), folded.decisions, folded.edits.edits, {}, {})
        _keep(_mergings, change_set.pk, known)
    elif known.decisions != folded.decisions:
        known = _gone_on(known, folded)
        _keep(_mergings, change_set.pk, known)
    return known


def _gone_on(known: _Merged, folded: _Folded) -> _Merged:
    """A merged draft after another decision: instances of which it wants what it wanted before are merged already."""
    edits = folded.edits.edits
    same = [name for name in known.instances if known.edits.get(name, {}) == edits.get(name, {})]
    return _Merged(
        live=known.live,
        decisions=folded.decisions,
        edits=edits,
        instances={name: known.instances[name] for name in same},
        misfits={name: known.misfits[name] for name in same if name in known.misfits},
    )


def _keep(memory: dict[int, Kept], number: int, kept: Kept) -> None:
    memory.pop(number, None)
    while len(memory) >= _KEPT:
        memory.pop(next(iter(memory), 0), None)
    memory[number] = kept
