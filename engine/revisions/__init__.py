"""Catalogs as sets of objects: what two of them differ in, and three of them made into one.

A change set holds what somebody wants on top of a catalog that goes on changing. Changes cannot be replayed on another
catalog than their own, objects can be compared: whoever changed an object alone has it his way, and where both have
changed it to different things somebody has to decide (ADR 23).
"""

from engine.core.catalog.event_notifications import notifications_by_key
from engine.revisions.description import described
from engine.revisions.difference import ObjectChange, changed_objects
from engine.revisions.merge import Edit, Merge, MergedObject, edits_between, merge
from engine.revisions.objects import (
    INSTANCE_LEVEL,
    VALUES,
    CatalogObject,
    ObjectKey,
    ObjectKind,
    object_at,
    object_key,
    objects_of,
    same_object,
    value_from_json,
    value_to_json,
    with_objects,
)

__all__ = [
    "INSTANCE_LEVEL",
    "VALUES",
    "CatalogObject",
    "Edit",
    "Merge",
    "MergedObject",
    "ObjectChange",
    "ObjectKey",
    "ObjectKind",
    "changed_objects",
    "described",
    "edits_between",
    "merge",
    "notifications_by_key",
    "object_at",
    "object_key",
    "objects_of",
    "same_object",
    "value_from_json",
    "value_to_json",
    "with_objects",
]
