"""Routes made, changed and removed by a form, under the same rules as by a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, ObjectNotFound
from brokerweb.topology.names import fold
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.topology.services.revision import Proposal, change_decide
from engine import api as engine

POINTERS = {
    "ADDRESS": "/address",
    "MIRROR_ADDRESS": "/mirror_address",
    "SERVICE_NAME": "/service_name",
    "BROKER_INSTANCE": "/broker_instance",
    "LIFETIME": "/lifetime_seconds",
}
"""The field of the form for the clause that an error names."""

ALTERABLE = ("address", "service_name", "broker_instance", "expires_at", "mirror_address")


def route_create(
    place: DatabasePlace, *, user: User | None, expected_revision: int | None, clauses: Mapping[str, Any]
) -> int:
    """CREATE ROUTE from the texts of its clauses; answers the revision. Raises `EngineRefused`, `RevisionConflict`."""

    def propose(_catalog: engine.InstanceCatalog) -> Proposal:
        route, _warnings = engine.make_route(now=_utc_now(), **clauses)
        change = engine.RouteCreated(database=engine.DatabaseName(place.database), route=route)
        return Proposal([change], f"Create route {route.name} in {place.database} on {place.instance}")

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
        wanted = _changed_route(existing, clauses)
        summary = f"Change route {existing.name} in {place.database} on {place.instance}"
        return Proposal(_route_changes(engine.DatabaseName(place.database), existing, wanted), summary)

    with _refusals_at_their_fields():
        return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)


def route_delete(place: DatabasePlace, route_name: str, *, user: User | None, expected_revision: int | None) -> int:
    """DROP ROUTE; answers the revision. Raises `ObjectNotFound`, `RevisionConflict`."""

    def propose(catalog: engine.InstanceCatalog) -> Proposal:
        existing = _route_of(catalog, place, route_name)
        change = engine.RouteDropped(database=engine.DatabaseName(place.database), name=existing.name)
        return Proposal([change], f"Drop route {existing.name} in {place.database} on {place.instance}")

    return change_decide(place.instance_place, propose, user=user, expected_revision=expected_revision)


def _utc_now() -> engine.UtcTime:
    """Now, to the millisecond: what a database column keeps exactly and a person can still read."""
    return engine.UtcTime(round(timezone.now().timestamp(), 3))


def _route_of(catalog: engine.InstanceCatalog, place: DatabasePlace, name: str) -> engine.Route:
    database = catalog.databases[engine.DatabaseName(place.database)]
    for route in database.routes.values():
        if fold(route.name) == fold(name):
            return route
    raise ObjectNotFound(f"Database {place.database} on {place.instance} has no route {name}.")


def _changed_route(existing: engine.Route, clauses: Mapping[str, Any]) -> engine.Route:
    """The route with some clauses given anew, judged as a whole."""
    texts: dict[str, Any] = {
        "address": str(existing.address),
        "service_name": existing.service_name,
        "broker_instance": None if existing.broker_instance is None else str(existing.broker_instance),
        "mirror_address": None if existing.mirror_address is None else existing.mirror_address.text,
        "lifetime_seconds": None,
    }
    texts.update(clauses)
    if texts["address"] is None:
        # A route without address does not exist; the engine words the refusal of an empty one.
        texts["address"] = ""
    wanted, _warnings = engine.make_route(name=existing.name, now=_utc_now(), **texts)
    if "lifetime_seconds" not in clauses:
        wanted = msgspec.structs.replace(wanted, expires_at=existing.expires_at)
    return wanted


def _route_changes(
    database: engine.DatabaseName, existing: engine.Route, wanted: engine.Route
) -> tuple[engine.CatalogChange, ...]:
    different = {
        field: getattr(wanted, field) for field in ALTERABLE if getattr(wanted, field) != getattr(existing, field)
    }
    if not different:
        return ()
    if any(value is None for value in different.values()):
        return (
            engine.RouteDropped(database=database, name=existing.name),
            engine.RouteCreated(database=database, route=wanted),
        )
    return (engine.RouteAltered(database=database, name=existing.name, **different),)


@contextmanager
def _refusals_at_their_fields() -> Iterator[None]:
    """Point each refusal at the field of the form that it is about."""
    try:
        yield
    except engine.BrokerError as error:
        clause = error.parameters.get("clause")
        raise EngineRefused(error, POINTERS.get(str(clause), "/name")) from error
