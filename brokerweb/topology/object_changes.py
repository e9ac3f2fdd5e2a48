"""Changes of objects as they are kept in the log of decisions: names as spelled, values in the engine's JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from brokerweb.topology.names import fold
from engine import api as engine


class InstanceObject(msgspec.Struct, frozen=True):
    """One object of an instance, before and after a decision."""

    instance: str
    key: engine.revisions.ObjectKey
    before: engine.revisions.CatalogObject | None
    after: engine.revisions.CatalogObject | None
    is_rebased: bool = False
    base: engine.revisions.CatalogObject | None = None
    """With `is_rebased`: what was live when somebody decided about a conflict; the draft stands on it from then on."""

    @property
    def shown(self) -> engine.revisions.CatalogObject | None:
        """The object whose names say what it is about."""
        return self.after or self.before or self.base


def effect_of(before: object, after: object) -> str:
    """What becomes of an object: it is added, changed or removed."""
    if before is None:
        return "add"
    return "remove" if after is None else "change"


def objects_to_json(objects: Iterable[InstanceObject]) -> list[dict[str, Any]]:
    """Objects as the log keeps them; one that is nowhere says nothing and is left out."""
    return [_to_json(each, each.shown) for each in objects if each.shown is not None]


def _to_json(each: InstanceObject, shown: engine.revisions.CatalogObject) -> dict[str, Any]:
    stored = {
        "instance": each.instance,
        "database": shown.database,
        "kind": shown.kind.value,
        "name": shown.name,
        "before": engine.revisions.value_to_json(each.before),
        "after": engine.revisions.value_to_json(each.after),
    }
    if each.is_rebased:
        stored["base"] = engine.revisions.value_to_json(each.base)
    return stored


def objects_from_json(stored: Iterable[Mapping[str, Any]]) -> list[InstanceObject]:
    """Objects as they were before `objects_to_json`."""
    return [_from_json(each) for each in stored]


def _from_json(stored: Mapping[str, Any]) -> InstanceObject:
    kind, database, name = engine.revisions.ObjectKind(stored["kind"]), stored["database"], stored["name"]

    def value(what: str) -> engine.revisions.CatalogObject | None:
        return engine.revisions.value_from_json(kind, database, name, stored.get(what))

    return InstanceObject(
        instance=stored["instance"],
        key=engine.revisions.object_key(database, kind, name),
        before=value("before"),
        after=value("after"),
        is_rebased="base" in stored,
        base=value("base"),
    )


def touched_text(stored: Iterable[Mapping[str, Any]]) -> str:
    """A line for each object, to be searched for `name_in_touched` and `instance_in_touched`."""
    lines = [
        "\t".join((fold(each["instance"]), fold(each["database"] or ""), each["kind"], fold(each["name"])))
        for each in stored
    ]
    return "".join(f"\n\t{line}\t" for line in lines) + "\n" if lines else ""


def name_in_touched(name: str) -> str:
    """What `touched` holds if an object of that name is in it: a name alone ends its line."""
    return f"\t{fold(name)}\t\n"


def instance_in_touched(name: str) -> str:
    """What `touched` holds if an object of that instance is in it."""
    return f"\n\t{fold(name)}\t"
