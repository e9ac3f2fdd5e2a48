"""Estates as a list, and the small facts the live view asks for again and again."""

from __future__ import annotations

from typing import Any

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
