"""What instances have applied, as far as the dashboard has heard: the revision that each last told that it has."""

from __future__ import annotations

from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from engine import api as engine


def applied_catalogs(estate: Estate) -> dict[engine.InstanceName, engine.InstanceCatalog]:
    """The catalog of each instance as of the revision that it last told; those are left out that have told none."""
    wanted = live_catalogs(estate)
    told = Instance.objects.filter(estate=estate, applied_revision__gt=0).values_list(
        "name", "applied_revision", "desired_revision"
    )
    found: dict[engine.InstanceName, engine.InstanceCatalog] = {}
    for name, applied, desired in told:
        # Between the last revision that changed an instance and the newest one its catalog is the same.
        catalogs = wanted if applied >= desired else past_catalogs(estate, applied)
        if name in catalogs:
            found[engine.InstanceName(name)] = catalogs[name]
    return found
