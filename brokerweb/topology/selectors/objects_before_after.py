"""One object before and after something, with the fields that are not the same, as the API tells it."""

from __future__ import annotations

from typing import Any

from brokerweb.topology.object_changes import InstanceObject, effect_of
from engine import api as engine


def object_picture(each: InstanceObject) -> dict[str, Any]:
    """Which object it is, what becomes of it, and the fields that change."""
    shown = each.shown
    assert shown is not None, "no object that is nowhere is told of"
    before, after = engine.revisions.described(each.before), engine.revisions.described(each.after)
    return {
        "instance": each.instance,
        "database": shown.database,
        "kind": shown.kind.value,
        "name": shown.name,
        "effect": effect_of(each.before, each.after),
        "fields": [
            {"name": name, "before": before.get(name), "after": after.get(name)}
            for name in dict.fromkeys((*after, *before))
            if before.get(name) != after.get(name)
        ],
    }
