"""The catalogs of revisions that are past, remembered: history does not change, and to replay it takes long."""

from __future__ import annotations

from threading import Lock

from brokerweb.topology.models import Estate, TopologyRevision
from brokerweb.topology.selectors.history import catalogs_at
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from engine import api as engine

_KEPT = 4
"""Revisions that a process remembers."""
_known: dict[tuple[object, ...], dict[str, engine.InstanceCatalog]] = {}
"""By estate, number, when it was written, and how many reserved revisions of the estate were filled since."""
_reading = Lock()


def past_catalogs(estate: Estate, revision: int) -> dict[str, engine.InstanceCatalog]:
    """The wanted catalog of every instance at `revision`, by name. Nobody may change them: others see the same ones.

    Raises `ObjectNotFound` for a revision that the estate has not had yet.
    """
    if revision == estate.revision:
        return live_catalogs(estate)
    written_at = TopologyRevision.objects.filter(estate=estate, number=revision).values_list("created_at").first()
    if written_at is None:
        # Revision 0 is the empty estate, and whatever is none is refused.
        return catalogs_at(estate, revision)
    key = (estate.pk, revision, written_at, estate.settled_count)
    with _reading:
        known = _known.pop(key, None)
        if known is None:
            known = catalogs_at(estate, revision)
        while len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        _known[key] = known
    return dict(known)
