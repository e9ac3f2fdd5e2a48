"""Routes made, changed and removed by a form, under the same rules as by a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, ObjectNotFound
from brokerweb.topology.names import fold
from brokerweb.topology.route_edits import route_changes, route_with
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.revision import Proposal, change_decide
from brokerweb.topology.summaries import saying
from engine import api as engine

POINTERS = {
    "ADDRESS": "/address",
    "MIRROR_ADDRESS": "/mirror_address",
    "SERVICE_NAME": "/service_name",
    "BROKER_INSTANCE": "/broker_instance",
    "LIFETIME": "/lifetime_seconds",
}
"""The field of the form for the clause that an error names."""


def route_create(
    place: DatabasePlace, *, user: User | None, expected_revision: int | None, clauses: Mapping[str, Any]
) -> int:
    """CREATE ROUTE from the texts of its clauses; answers the revision. Raises `EngineRefused`, `RevisionConflict`."""

    def propose(_catalog: engine.InstanceCatalog) -> Proposal:
        route, _warnings = engine.make_route(now=_utc_now(), **clauses)
        change = engine.RouteCreated(database=engine.DatabaseName(place.database), route=route)
        return Proposal(
            [change], saying("create-route", name=route.name, database=place.database, instance=place.instance)
        )

    with _refusals_at_their_fields():
        return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)


def route_update(
    place: DatabasePlace,
    route_name: str,
    *,
    user: User | None,
    expected_revision: int | None,
    clauses: Mapping[str, Any],
) -> int:
    """Change the clauses that `clauses` holds; None takes one away. Answers the revision.

    ALTER ROUTE can only set clauses (tsql.md 1), so taking one away drops the route and creates it anew, in one
    revision. Raises `ObjectNotFound`, `EngineRefused`, `RevisionConflict`.
    """

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        existing = _route_of(catalog, place, route_name)
        wanted = route_with(existing, clauses, _utc_now())
        summary = saying("change-route", name=existing.name, database=place.database, instance=place.instance)
        return Proposal(route_changes(engine.DatabaseName(place.database), existing, wanted), summary)

    with _refusals_at_their_fields():
        return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)


def route_delete(place: DatabasePlace, route_name: str, *, user: User | None, expected_revision: int | None) -> int:
    """DROP ROUTE; answers the revision. Raises `ObjectNotFound`, `RevisionConflict`."""

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        existing = _route_of(catalog, place, route_name)
        change = engine.RouteDropped(database=engine.DatabaseName(place.database), name=existing.name)
        return Proposal(
            [change], saying("drop-route", name=existing.name, database=place.database, instance=place.instance)
        )

    return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)


def _utc_now() -> engine.UtcTime:
    """Now, to the millisecond: what a database column keeps exactly and a person can still read."""
    return engine.UtcTime(round(timezone.now().timestamp(), 3))


def _route_of(catalog: engine.InstanceCatalog, place: DatabasePlace, name: str) -> engine.Route:
    database = catalog.databases[engine.DatabaseName(place.database)]
    for route in database.routes.values():
        if fold(route.name) == fold(name):
            return route
    raise ObjectNotFound(
        _("Database {database} on {instance} has no route {name}.").format(
            database=place.database, instance=place.instance, name=name
        )
    )


@contextmanager
def _refusals_at_their_fields() -> Iterator[None]:
    """Point each refusal at the field of the form that it is about."""
    try:
        yield
    except engine.BrokerError as error:
        clause = error.parameters.get("clause")
        raise EngineRefused(error, POINTERS.get(str(clause), "/name")) from error
