"""What keeps everything in, or everything out, whatever the routes say (routing.md 2)."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.routing.locator import unavailable_reason
from engine.core.vocabulary.identifiers import MSDB

BROKER_OFF, SINGLE_USER = 9791, 28075


def obstacle_of(home: DatabaseCatalog) -> int | None:
    """Why nothing leaves a database (routing.md 2); None when something may."""
    if not home.is_broker_enabled:
        return BROKER_OFF
    return SINGLE_USER if home.state is DatabaseState.SINGLE_USER else unavailable_reason(home)


def msdb_obstacle(catalog: InstanceCatalog) -> int | None:
    """Why nothing that arrives can be routed (routing.md 2); None when it can."""
    msdb = catalog.databases.get(MSDB)
    if msdb is None or msdb.state is DatabaseState.OFFLINE:
        return 9788
    if msdb.state is DatabaseState.SINGLE_USER:
        return 9790
    return None if msdb.is_broker_enabled else 9789
