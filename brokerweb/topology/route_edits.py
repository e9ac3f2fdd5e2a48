"""Changes of a route from the texts of its clauses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from engine import api as engine

ALTERABLE = ("address", "service_name", "broker_instance", "expires_at", "mirror_address")


def route_with(existing: engine.Route, clauses: Mapping[str, Any], now: engine.UtcTime) -> engine.Route:
    """The route with some clauses given anew, judged as a whole; None takes one away. Raises `BrokerError`."""
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
    wanted, _warnings = engine.make_route(name=existing.name, now=now, **texts)
    if "lifetime_seconds" not in clauses:
        wanted = msgspec.structs.replace(wanted, expires_at=existing.expires_at)
    return wanted


def route_changes(
    database: engine.DatabaseName, existing: engine.Route, wanted: engine.Route
) -> tuple[engine.CatalogChange, ...]:
    """What makes one route of another; ALTER ROUTE cannot take a clause away, so that it is made anew (tsql.md 1)."""
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
