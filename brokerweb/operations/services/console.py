"""T-SQL consoles on running instances: a session that reads, sends and receives, and whose DDL is a revision."""

from __future__ import annotations

from collections.abc import Sequence

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, WebProblem
from brokerweb.operations.services.mirroring import failover, mirroring_role_force
from brokerweb.topology.models import Instance
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.places import DatabasePlace, InstancePlace, database_place
from brokerweb.topology.services.certificate_files import EstateFiles
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
        definitions_type(place.instance_place, changes, user=user, session=session)

    read: dict[tuple[int, int], engine.InstanceCatalog] = {}
    """By key and revision of the instance: the catalog that was read last. A statement asks for it several times."""

    def catalog() -> engine.InstanceCatalog:
        row = Instance.objects.get(estate__name=place.estate, name=place.instance)
        state = row.pk, row.desired_revision
        if state not in read:
            found = instance_catalog(row)
            read.clear()
            read[row.pk, found.revision] = found
            return found
        return read[state]

    def fail_over(database: engine.DatabaseName, is_forced: bool) -> None:
        roles_change(place.instance_place, database, is_forced=is_forced, user=user)

    target = engine.console.LiveTarget(
        place.estate,
        place.instance,
        catalog=catalog,
        change=change,
        fail_over=fail_over,
        smith=engine.keys.key_vault(),
        session=session,
        files=EstateFiles(place.estate),
    )
    return engine.console.ConsoleSession(target, place.database)


def roles_change(place: InstancePlace, database: str, *, is_forced: bool, user: User | None) -> None:
    """SET PARTNER FAILOVER at the principal, or by force at the copy, as the page of the database does it.

    Raises `LocalProtocolError` with the number of a refusal, `NotTakenYet` for what else came in the way, and
    `EngineUnavailable`.
    """
    named = database_place(place.estate, place.instance, database)
    try:
        if is_forced:
            mirroring_role_force(named, None, engine.MirroringRole.PRINCIPAL, user=user)
        else:
            failover(named, None, user=user)
    except EngineRefused as refused:
        raise engine.LocalProtocolError(refused.error.number, **refused.error.parameters) from refused
    except WebProblem as problem:
        raise engine.console.NotTakenYet(problem.detail) from problem
