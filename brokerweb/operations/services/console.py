"""T-SQL consoles on running instances: a session that reads, sends and receives, and whose DDL is a revision."""

from __future__ import annotations

from collections.abc import Sequence

from brokerweb.accounts.models import User
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.typed import definitions_type
from engine import api as engine


def console_open(
    place: DatabasePlace, *, user: User | None, session: engine.EngineSession | None = None
) -> engine.console.ConsoleSession:
    """A session on a database of an instance that runs; whoever opens it closes it.

    `session` is a connection to the instance, for a process that its engine's tasks do not reach. What is defined is
    read when the session asks for it, so that the changes of others are seen.
    """

    def change(changes: Sequence[engine.CatalogChange]) -> None:
        definitions_type(place.instance_place, changes, user=user)

    def catalog() -> engine.InstanceCatalog:
        return instance_catalog(Instance.objects.get(estate__name=place.estate, name=place.instance))

    target = engine.console.LiveTarget(
        place.estate,
        place.instance,
        catalog=catalog,
        change=change,
        smith=engine.key_vault(),
        session=session,
    )
    return engine.console.ConsoleSession(target, place.database)
