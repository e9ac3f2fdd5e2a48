"""Routes (tsql.md 1)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import assert_never

from engine.core.catalog.changes import RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import find_database, find_route
from engine.core.catalog.route import Route
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.writing.quoting import bracketed, finding, quoted
from engine.tsql.writing.written import Written

RouteChange = RouteCreated | RouteAltered | RouteDropped

_LIFETIME = (
    "LIFETIME counts from the moment at which a statement is run, so routes that expire have their instant in a "
    "comment. Add LIFETIME with the seconds that are left, or a server keeps them for ever."
)


def of_route(change: RouteChange, present: InstanceCatalog) -> Iterator[Written]:
    """The statement for a change of a route."""
    match change:
        case RouteCreated():
            name = change.route.name
            yield _route(change, name, f"CREATE ROUTE {bracketed(name)} WITH\n{_clauses(change.route)}", change.route)
        case RouteAltered():
            database = find_database(present, change.database)
            listed = _clauses(change)
            if not listed:
                # A statement needs a clause to carry the comment: the address stays as it is.
                address = database.routes[find_route(database, change.name)].address
                listed = f"    ADDRESS = {quoted(str(address))}"
            yield _route(change, change.name, f"ALTER ROUTE {bracketed(change.name)} WITH\n{listed}", change)
        case RouteDropped():
            yield _route(change, change.name, f"DROP ROUTE {bracketed(change.name)}", None)
        case _:
            assert_never(change)


def _route(change: RouteChange, name: str, text: str, route: Route | RouteAltered | None) -> Written:
    is_altered = isinstance(change, RouteAltered)
    expires_at = None if route is None else route.expires_at
    comment = "" if expires_at is None else f" -- expires_at: {_instant(expires_at)}"
    return Written(
        kind="route",
        name=name,
        database=change.database,
        text=f"{text};{comment}",
        condition=None if is_altered else finding("routes", name),
        is_drop=isinstance(change, RouteDropped),
        notes=() if expires_at is None else (_LIFETIME,),
    )


def _clauses(route: Route | RouteAltered) -> str:
    given = (
        ("SERVICE_NAME", route.service_name),
        ("BROKER_INSTANCE", route.broker_instance),
        ("ADDRESS", route.address),
        ("MIRROR_ADDRESS", None if route.mirror_address is None else route.mirror_address.text),
    )
    return ",\n".join(f"    {clause} = {quoted(str(value))}" for clause, value in given if value is not None)


def _instant(instant: UtcTime) -> str:
    """ISO 8601 with zone, to the microsecond."""
    return datetime.fromtimestamp(instant, UTC).isoformat().replace("+00:00", "Z")
