"""The catalogs of an estate as they were at any of its revisions, rebuilt from the history of changes.

An instance exists from the first revision that names it; it began empty, so its changes alone make it.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.changes import changes_from_json
from brokerweb.topology.models import Estate, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.parts import pieces_of
from engine import api as engine

CHUNK = 50
"""Revisions read from the database at once; those of before there were parts may each hold a whole import."""


def catalogs_at(estate: Estate, revision: int) -> dict[str, engine.InstanceCatalog]:
    """The wanted catalog of every instance at `revision`, by name; revision 0 is the empty estate.

    Raises `ObjectNotFound` for a revision that the estate has not had yet.
    """
    if not 0 <= revision <= estate.revision:
        raise ObjectNotFound(
            _("Estate {name} has no revision {revision}; its newest is {revision2}.").format(
                name=estate.name, revision=revision, revision2=estate.revision
            )
        )
    if revision == estate.revision:
        return estate_catalogs(estate)
    return catalogs_from_history(estate, revision)


def catalogs_from_history(estate: Estate, revision: int) -> dict[str, engine.InstanceCatalog]:
    """The same, from the changes of the history alone. Each catalog has the number of its own latest change."""
    changes: dict[str, list[engine.CatalogChange]] = {}
    numbers: dict[str, int] = {}
    for number, changes_of_instances in _revisions(estate, revision):
        for name, stored in changes_of_instances.items():
            changes.setdefault(name, []).extend(changes_from_json(stored))
            numbers[name] = number
    return {
        name: engine.apply_changes(
            engine.InstanceCatalog(name=engine.InstanceName(name), revision=engine.CatalogRevision(numbers[name])),
            changes[name],
        )
        for name in sorted(changes)
    }


def _revisions(estate: Estate, revision: int) -> Iterator[tuple[int, dict[str, list[object]]]]:
    """Number and changes by instance, piece by piece, of every revision up to and including `revision`."""
    rows = TopologyRevision.objects.filter(estate=estate, number__lte=revision).order_by("number")
    for row in rows.only("number", "changes", "part_count").iterator(chunk_size=CHUNK):
        for piece in pieces_of(row, "changes"):
            yield row.number, piece
