"""The table of lists, kept in step with the catalogs: written in the transaction that writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from django.db import connection, transaction

from brokerweb.topology.listing import Kind, listed_row
from brokerweb.topology.models import Estate, Instance, ListedObject
from brokerweb.topology.selectors.catalogs import instance_catalog
from engine import api as engine

CHUNK = 1_000
"""Rows that are in memory together; an import brings a hundred thousand."""
MANY_ROWS = 10_000
"""So many make a table another one for whoever plans how to read it."""
KEYS_AT_ONCE = 400
"""Of rows that go: a statement takes so many parameters and no more."""


def listing_write(instance: Instance, before: engine.InstanceCatalog, after: engine.InstanceCatalog) -> int:
    """Bring the listed objects of an instance from one catalog to another; answers how many rows that wrote."""
    if not _is_listed(instance):
        return _fill(instance, after)
    gone: dict[tuple[str, str], list[str]] = {}
    new = []
    for change in engine.revisions.changed_objects(before, after):
        if change.before is not None:
            gone.setdefault((change.key.kind.value, change.key.database), []).append(change.key.name)
        if change.after is not None:
            new.append(change.after)
    for (kind, database_key), keys in gone.items():
        _remove(instance, kind, database_key, keys)
    return _add(instance, new)


def listing_settle(row_count: int) -> None:
    """After many rows were written PostgreSQL gets to know them at once, rather than when it next cleans up.

    Until then it plans for a table of another size, and looks into rows for what an index could say.
    """
    if row_count >= MANY_ROWS and connection.vendor == "postgresql":
        transaction.on_commit(_vacuum, robust=True)


def _vacuum() -> None:
    table = connection.ops.quote_name(ListedObject._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM (ANALYZE, SKIP_LOCKED) {table}")


def listing_ensure(estate_name: str) -> None:
    """List what is not listed: instances of before there were lists. Costs two counts otherwise."""
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None or not _is_behind(estate):
        return
    with transaction.atomic():
        locked = Estate.objects.select_for_update().get(pk=estate.pk)
        for instance in locked.instances.all():
            if not _is_listed(instance):
                _fill(instance, instance_catalog(instance))


def _is_behind(estate: Estate) -> bool:
    listed = ListedObject.objects.filter(estate=estate, kind=Kind.INSTANCE.value).count()
    return listed < estate.instances.count()


def _is_listed(instance: Instance) -> bool:
    return ListedObject.objects.filter(instance=instance, kind=Kind.INSTANCE.value).exists()


def _fill(instance: Instance, catalog: engine.InstanceCatalog) -> int:
    ListedObject.objects.filter(instance=instance).delete()
    return _add(instance, engine.revisions.objects_of(catalog).values())


def _remove(instance: Instance, kind: str, database_key: str, keys: Sequence[str]) -> None:
    rows = ListedObject.objects.filter(instance=instance, kind=kind, database_key=database_key)
    for first in range(0, len(keys), KEYS_AT_ONCE):
        rows.filter(key__in=keys[first : first + KEYS_AT_ONCE]).delete()


def _add(instance: Instance, objects: Iterable[engine.revisions.CatalogObject]) -> int:
    """Rows by statement rather than by model: an import brings a hundred thousand of them."""
    rows = (listed_row(instance, each) for each in objects)
    names = [field.attname for field in _FIELDS]
    columns = ", ".join(connection.ops.quote_name(field.column) for field in _FIELDS)
    table = connection.ops.quote_name(ListedObject._meta.db_table)
    # Only names of the model stand in it; values are parameters.
    statement = f"INSERT INTO {table} ({columns}) VALUES ({', '.join(['%s'] * len(names))})"  # noqa: S608
    with connection.cursor() as cursor:
        count = 0
        while some := list(islice(rows, CHUNK)):
            cursor.executemany(statement, [tuple(getattr(row, name) for name in names) for row in some])
            count += len(some)
    return count


_FIELDS = [field for field in ListedObject._meta.concrete_fields if not field.primary_key]
