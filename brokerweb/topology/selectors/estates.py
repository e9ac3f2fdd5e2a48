"""Estates as a list, and the small facts the live view asks for again and again."""

from __future__ import annotations

from typing import Any

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Estate, Instance


def estate_list() -> list[dict[str, Any]]:
    """Every estate with the names of its instances."""
    return [
        {
            "name": estate.name,
            "pace": estate.pace,
            "revision": estate.revision,
            "instances": [instance.name for instance in estate.instances.all()],
        }
        for estate in Estate.objects.prefetch_related("instances")
    ]


def estate_progress(name: str) -> tuple[int, tuple[tuple[str, int, int, str], ...]] | None:
    """Wanted revision, and of each instance: name, wanted and applied revision, error. None without such an estate.

    Two equal answers mean that nothing about the topology has changed.
    """
    estate = Estate.objects.filter(name=name).only("id", "revision").first()
    if estate is None:
        return None
    instances = Instance.objects.filter(estate_id=estate.id).order_by("name")
    rows = instances.values_list("name", "desired_revision", "applied_revision", "apply_error")
    return estate.revision, tuple(rows)


def estate_named_or_only(name: str | None) -> str:
    """The name as it was given, or that of the only estate there is; `ObjectNotFound` when that is no answer."""
    if name is not None:
        return name
    names = list(Estate.objects.values_list("name", flat=True)[:2])
    if len(names) == 1:
        return names[0]
    raise ObjectNotFound(
        "There is no estate yet." if not names else "There are several estates, and none is named.",
        cure="Name one with --estate.",
    )
