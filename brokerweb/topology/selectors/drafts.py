"""What a draft would make of its estate: the live catalogs as they are now, and what the draft wants, merged.

A draft keeps what its decisions made of objects, not the changes: those could not be repeated on a catalog that has
gone on (ADR 23). An object counts as changed from what it was when the draft first touched it.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from django.db.models import QuerySet

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import ChangeSet, Decision, Estate, Instance
from brokerweb.topology.object_changes import objects_from
from brokerweb.topology.selectors.catalogs import estate_catalogs, instance_catalog
from engine import api as engine

Key = engine.revisions.ObjectKey


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


def change_set_of(estate: Estate, number: int) -> ChangeSet:
    """The change set of that number; `ObjectNotFound` when there is none."""
    found = ChangeSet.objects.select_related("estate", "author").filter(estate=estate, number=number).first()
    if found is None:
        raise ObjectNotFound(f"Estate {estate.name} has no change set #{number}.")
    return found


def change_set_at(estate_name: str, number: int) -> ChangeSet:
    """As `change_set_of`, by the name of the estate; `ObjectNotFound` when there is none."""
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise ObjectNotFound(f"There is no estate {estate_name}.")
    return change_set_of(estate, number)


def draft_decisions(change_set: ChangeSet) -> QuerySet[Decision]:
    """Everything that was ever decided in a draft, oldest first."""
    return Decision.objects.filter(change_set=change_set, revision=None).order_by("sequence")


def draft_touches(change_set: ChangeSet, kind: str) -> bool:
    """Whether a draft may change objects of a kind; where it does not, the live ones are those of the draft."""
    return draft_decisions(change_set).filter(is_undone=False, touched__contains=f"\t{kind}\t").exists()


def draft_edits(change_set: ChangeSet) -> DraftEdits:
    """What is left of a draft's decisions when those that are undone are left out."""
    stored = draft_decisions(change_set).filter(is_undone=False).values_list("objects_changed", flat=True)
    return edits_of(stored.iterator(chunk_size=100))


def edits_of(decisions: Iterable[str]) -> DraftEdits:
    """What decisions amount to, given the objects of each as the log keeps them, oldest first."""
    edits: dict[str, dict[Key, engine.revisions.Edit]] = {}
    acknowledged: set[tuple[str, Key]] = set()
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


def draft_instances(change_set: ChangeSet, edits: DraftEdits | None = None) -> dict[str, DraftInstance]:
    """Every instance of the estate with the draft, by name in order; those that only the draft has too."""
    wanted = (edits or draft_edits(change_set)).edits
    live = estate_catalogs(change_set.estate)
    return {
        name: _draft_instance(name, live.get(name), wanted.get(name, {}))
        for name in sorted(live.keys() | wanted.keys())
    }


def draft_instance(change_set: ChangeSet, name: str) -> DraftInstance:
    """One instance with the draft."""
    row = Instance.objects.filter(estate=change_set.estate_id, name=name).first()
    live = None if row is None else instance_catalog(row)
    return _draft_instance(name, live, draft_edits(change_set).edits.get(name, {}))


def _draft_instance(
    name: str, live: engine.InstanceCatalog | None, edits: dict[Key, engine.revisions.Edit]
) -> DraftInstance:
    catalog = live or engine.InstanceCatalog(name=engine.InstanceName(name))
    return DraftInstance(live=catalog, merge=engine.revisions.merge(catalog, edits), is_new=live is None)


def draft_catalogs(change_set: ChangeSet) -> dict[str, engine.InstanceCatalog]:
    """The catalog of every instance as the draft would have it, by name."""
    return {name: each.merge.catalog for name, each in draft_instances(change_set).items()}


def misfit_of(each: DraftInstance) -> engine.CatalogError | None:
    """Why what an instance would be with the draft breaks a rule; None when it does not."""
    try:
        engine.diff_catalogs(each.live, each.merge.catalog)
    except engine.CatalogError as error:
        return error
    return None
