"""The catalogs that are wanted now, remembered: reading them costs most of what the answers made of them cost."""

from __future__ import annotations

from threading import Lock

from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.catalogs import estate_catalogs, live_state
from engine import api as engine

_KEPT = 4
"""Estates that a process remembers; one of 500 instances with 4,500 databases takes some 20 MB."""
_known: dict[int, tuple[tuple[object, ...], dict[str, engine.InstanceCatalog]]] = {}
"""By estate: the state, and what was read in it or after it; what comes after a state has another one."""
_reading = Lock()
"""A page asks for the map and for the findings in one breath: one of them reads, the other waits for it."""


def live_catalogs(estate: Estate) -> dict[str, engine.InstanceCatalog]:
    """The wanted catalog of every instance, by name. Nobody may change the catalogs: others are shown the same ones."""
    state = live_state(estate)
    if state[-1] is None:
        # Before its first revision nothing tells two states apart.
        return estate_catalogs(estate)
    with _reading:
        known = _known.pop(estate.pk, None)
        if known is None or known[0] != state:
            known = (state, estate_catalogs(estate))
        while len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        _known[estate.pk] = known
    return dict(known[1])
