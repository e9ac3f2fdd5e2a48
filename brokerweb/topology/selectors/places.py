"""Places in an estate: what an address names, checked to exist and spelled as it was defined."""

from __future__ import annotations

import msgspec

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Database, Instance
from brokerweb.topology.names import fold


class InstancePlace(msgspec.Struct, frozen=True):
    """An instance of an estate."""

    estate: str
    instance: str


class DatabasePlace(msgspec.Struct, frozen=True):
    """A database of an instance of an estate."""

    estate: str
    instance: str
    database: str

    @property
    def instance_place(self) -> InstancePlace:
        return InstancePlace(self.estate, self.instance)


def instance_place(estate: str, instance: str) -> InstancePlace:
    """The instance of that name; `ObjectNotFound` when there is none."""
    row = (
        Instance.objects.filter(estate__name=estate, folded_name=fold(instance))
        .values_list("estate__name", "name")
        .first()
    )
    if row is None:
        raise ObjectNotFound(f"Estate {estate} has no instance {instance}.")
    return InstancePlace(*row)


def database_place(estate: str, instance: str, database: str) -> DatabasePlace:
    """The database of that name; `ObjectNotFound` when there is none."""
    row = (
        Database.objects.filter(
            instance__estate__name=estate, instance__folded_name=fold(instance), folded_name=fold(database)
        )
        .values_list("instance__estate__name", "instance__name", "name")
        .first()
    )
    if row is None:
        raise ObjectNotFound(f"Estate {estate} has no database {database} on instance {instance}.")
    return DatabasePlace(*row)
