"""The log of decisions begins with the revisions that there are: their changes are followed, so that it has objects."""

from __future__ import annotations

from typing import Any

import msgspec
from django.db import migrations

from brokerweb.topology.changes import changes_from_json
from brokerweb.topology.object_changes import InstanceObject, KeptObjects, objects_kept
from engine import api as engine

CHUNK = 50
"""Revisions read at once; one may hold a whole import."""


def log_revisions(apps: Any, schema_editor: Any) -> None:
    alias = schema_editor.connection.alias
    decision = apps.get_model("topology", "Decision").objects.using(alias)
    for estate in apps.get_model("topology", "Estate").objects.using(alias).all():
        catalogs: dict[str, engine.InstanceCatalog | None] = {}
        rows = apps.get_model("topology", "TopologyRevision").objects.using(alias).filter(estate=estate)
        for number, row in enumerate(rows.order_by("number").iterator(chunk_size=CHUNK), start=1):
            objects, inverse = _followed(catalogs, row.changes)
            decision.create(
                estate=estate,
                sequence=number,
                author_id=row.author_id,
                decided_at=row.created_at,
                origin="unrecorded",
                summary=row.summary,
                inverse=inverse,
                revision=row.number,
                object_count=objects.count,
                **objects.columns,
            )


def _followed(
    catalogs: dict[str, engine.InstanceCatalog | None], changes: dict[str, list[Any]]
) -> tuple[KeptObjects, dict[str, Any]]:
    """The objects that a revision has changed, and the way back; an instance that cannot be followed has none."""
    objects: list[InstanceObject] = []
    inverse: dict[str, Any] = {}
    for name, stored in changes.items():
        before = catalogs.get(name, engine.InstanceCatalog(name=engine.InstanceName(name)))
        catalogs[name] = None
        if before is None:
            continue
        try:
            after = engine.apply_changes(before, changes_from_json(stored))
        except (engine.BrokerError, msgspec.ValidationError):
            continue
        catalogs[name] = after
        inverse[name] = _inverse(before, after)
        objects += [
            InstanceObject(name, change.key, change.before, change.after)
            for change in engine.revisions.changed_objects(before, after)
        ]
    return objects_kept(objects), inverse


def _inverse(before: engine.InstanceCatalog, after: engine.InstanceCatalog) -> list[Any] | None:
    try:
        return [msgspec.to_builtins(change) for change in engine.diff_catalogs(after, before)]
    except engine.BrokerError:
        return None


class Migration(migrations.Migration):
    dependencies = [
        ("topology", "0005_change_sets"),
    ]

    operations = [
        migrations.RunPython(log_revisions, migrations.RunPython.noop),
    ]
