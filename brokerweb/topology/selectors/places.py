"""Places in an estate: what an address names, checked to exist and spelled as it was defined.

A place may be one in a change set: then what the change set has there counts.
"""

from __future__ import annotations

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Database, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.private_estates import is_private, private_state
from brokerweb.topology.selectors.drafts import change_set_at, draft_edits, draft_instance, draft_touches
from engine import api as engine


class InstancePlace(msgspec.Struct, frozen=True):
    """An instance of an estate."""

    estate: str
    instance: str
    change_set: int | None = None


class DatabasePlace(msgspec.Struct, frozen=True):
    """A database of an instance of an estate."""

    estate: str
    instance: str
    database: str
    change_set: int | None = None

    @property
    def instance_place(self) -> InstancePlace:
        return InstancePlace(self.estate, self.instance, self.change_set)


def instance_place(estate: str, instance: str, change_set: int | None = None) -> InstancePlace:
    """The instance of that name; `ObjectNotFound` when there is none."""
    if is_private(estate):
        return InstancePlace(estate, _private_catalog(estate, instance).name)
    row = (
        Instance.objects.filter(estate__name=estate, folded_name=fold(instance))
        .values_list("estate__name", "name")
        .first()
    )
    if row is not None:
        return InstancePlace(*row, change_set)
    if change_set is not None:
        for name in draft_edits(change_set_at(estate, change_set)).edits:
            if fold(name) == fold(instance):
                return InstancePlace(estate, name, change_set)
    raise _no_instance(estate, instance)


def _private_catalog(estate: str, instance: str) -> engine.InstanceCatalog:
    for name, catalog in private_state(estate).catalogs.items():
        if fold(name) == fold(instance):
            return catalog
    raise _no_instance(estate, instance)


def _no_instance(estate: str, instance: str) -> ObjectNotFound:
    return ObjectNotFound(_("Estate {estate} has no instance {instance}.").format(estate=estate, instance=instance))


def database_place(estate: str, instance: str, database: str, change_set: int | None = None) -> DatabasePlace:
    """The database of that name; `ObjectNotFound` when there is none."""
    if is_private(estate):
        catalog = _private_catalog(estate, instance)
        for name in catalog.databases:
            if fold(name) == fold(database):
                return DatabasePlace(estate, catalog.name, name)
    elif change_set is None or not draft_touches(change_set_at(estate, change_set), "database"):
        row = (
            Database.objects.filter(
                instance__estate__name=estate, instance__folded_name=fold(instance), folded_name=fold(database)
            )
            .values_list("instance__estate__name", "instance__name", "name")
            .first()
        )
        if row is not None:
            return DatabasePlace(*row, change_set)
    else:
        place = instance_place(estate, instance, change_set)
        catalog = draft_instance(change_set_at(estate, change_set), place.instance).merge.catalog
        for name in catalog.databases:
            if fold(name) == fold(database):
                return DatabasePlace(estate, place.instance, name, change_set)
    raise ObjectNotFound(
        _("Estate {estate} has no database {database} on instance {instance}.").format(
            estate=estate, database=database, instance=instance
        )
    )
