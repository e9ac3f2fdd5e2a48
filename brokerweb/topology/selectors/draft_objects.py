"""The objects that a change set adds, changes and removes: chosen, counted, and told page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Self

import msgspec

from brokerweb.common.paging import shown_page
from brokerweb.topology.names import fold
from brokerweb.topology.object_changes import effect_of
from engine import api as engine

INSTANCE = "instance"


class ObjectsAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of a change set are asked for; None restricts nothing."""

    kind: str | None = None
    instance: str | None = None
    effect: str | None = None
    conflict: str | None = None
    text: str | None = None
    """Part of the name of the object or of its database, in any letter case."""
    page: int = 1
    rows: int = 200


WHOLE = ObjectsAsked()
"""The first page of all of them."""


class DraftObject(msgspec.Struct, frozen=True, gc=False):
    """One object of a change set; its fields are compared only when it is told."""

    instance: str
    database: str | None
    kind: str
    name: str
    effect: str
    conflict: str | None
    merged: engine.revisions.MergedObject | None
    """None for an instance that only the draft has."""

    @classmethod
    def of_instance(cls, name: str) -> Self:
        """An instance that the draft makes."""
        return cls(name, None, INSTANCE, name, "add", None, None)

    @classmethod
    def of(cls, instance: str, each: engine.revisions.MergedObject, *, is_acknowledged: bool) -> Self:
        """An object as the merge has it."""
        shown = each.mine or each.theirs or each.base
        assert shown is not None, "a merge tells of no object that is nowhere"
        conflict = "open" if each.is_conflict else "acknowledged" if is_acknowledged else None
        effect = effect_of(each.theirs, each.mine)
        return cls(instance, shown.database, shown.kind.value, shown.name, effect, conflict, each)


def objects_page(objects: Sequence[DraftObject], asked: ObjectsAsked) -> dict[str, Any]:
    """The asked page, open conflicts first, and how many there are of what."""
    chosen = [each for each in objects if _is_asked(each, asked)]
    chosen.sort(key=lambda each: each.conflict != "open")
    page, pages, part = shown_page(asked.page, len(chosen), asked.rows)
    effects = Counter(each.effect for each in objects)
    return {
        "objects": [_told(each) for each in chosen[part]],
        "object_count": len(objects),
        "object_counts": {name: effects[name] for name in ("add", "change", "remove")},
        "object_kinds": sorted({each.kind for each in objects}),
        "object_instances": sorted({each.instance for each in objects}),
        "matching_count": len(chosen),
        "page": page,
        "pages": pages,
        "conflict_count": sum(each.conflict == "open" for each in objects),
    }


def _is_asked(each: DraftObject, asked: ObjectsAsked) -> bool:
    text = "" if asked.text is None else fold(asked.text)
    return (
        asked.kind in (None, each.kind)
        and (asked.instance is None or fold(asked.instance) == fold(each.instance))
        and asked.effect in (None, each.effect)
        and asked.conflict in (None, each.conflict)
        and (not text or text in fold(each.name) or text in fold(each.database or ""))
    )


def _told(each: DraftObject) -> dict[str, Any]:
    return {
        "instance": each.instance,
        "database": each.database,
        "kind": each.kind,
        "name": each.name,
        "effect": each.effect,
        "fields": [] if each.merged is None else _fields(each.merged),
        "conflict": each.conflict,
    }


def _fields(each: engine.revisions.MergedObject) -> list[dict[str, Any]]:
    """The fields in which the three are not all the same, in the order of the definition."""
    base, theirs, mine = (engine.revisions.described(side) for side in (each.base, each.theirs, each.mine))
    names = dict.fromkeys((*mine, *theirs, *base))
    return [
        {"name": name, "base": base.get(name), "theirs": theirs.get(name), "mine": mine.get(name)}
        for name in names
        if not base.get(name) == theirs.get(name) == mine.get(name)
    ]
