"""`future`: the instants at which routes expire, and which flows become other ones then (product.md 1b, 7).

Nothing happens to a table between two expiries, so only instants at which something expires are looked at, and of the
flows only those that depend on a table in which it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.evaluation import Evaluation, VerdictChange
from engine.whatif.faults import Fault
from engine.whatif.impact import FlowImpactRow, gravest_first, impact_row
from engine.whatif.legs import round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion

Catalogs = Mapping[InstanceName, InstanceCatalog]
EVENTS_MAX: Final = 500
"""Expiring routes that are looked at, the earliest first; how many more there are is told."""


class RoutePlace(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A route and where it stands."""

    instance: InstanceName
    database: DatabaseName
    route: RouteName


class FutureEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A route expires. Where several do at one instant, a change is told once: with the route that it was using."""

    at: UtcTime
    route: RoutePlace
    changes: tuple[FlowImpactRow, ...]
    """What becomes of flows then, against the instant before; the gravest first."""


class Future(msgspec.Struct, frozen=True, kw_only=True):
    """What time alone makes of an estate."""

    events: tuple[FutureEvent, ...]
    not_looked_at: int
    """Routes that expire later than those that were looked at, and still within the time that was asked about."""


def future(
    catalogs: Catalogs, flows: Iterable[FlowQuestion], *, at: UtcTime, until: UtcTime, faults: Sequence[Fault] = ()
) -> Future:
    """Every route that expires after `at`, `until` included, and the flows that it takes along or sends elsewhere."""
    given = {catalog.name: catalog for catalog in catalogs.values()}
    expiring = sorted(_expiring(given, at, until), key=lambda each: (each[0], each[1]))
    looked_at = expiring[:EVENTS_MAX]
    course = _Course(given, flows, at, faults) if looked_at else None
    events: list[FutureEvent] = []
    for instant in dict.fromkeys(instant for instant, _ in looked_at):
        assert course is not None, "there are events"
        routes = [route for when, route in looked_at if when == instant]
        events += [FutureEvent(at=instant, route=route, changes=rows) for route, rows in course.at(instant, routes)]
    return Future(events=tuple(events), not_looked_at=len(expiring) - len(looked_at))


def _expiring(catalogs: Catalogs, at: UtcTime, until: UtcTime) -> Iterable[tuple[UtcTime, RoutePlace]]:
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            for route in database.routes.values():
                if route.expires_at is not None and at < route.expires_at <= until:
                    place = RoutePlace(instance=catalog.name, database=database.name, route=route.name)
                    yield route.expires_at, place


class _Course:
    """The verdicts of all flows as time goes on."""

    def __init__(self, catalogs: Catalogs, flows: Iterable[FlowQuestion], at: UtcTime, faults: Sequence[Fault]) -> None:
        self._catalogs = catalogs
        self._faults = faults
        self._evaluation = Evaluation(catalogs, flows, at=at, faults=faults)

    def at(
        self, instant: UtcTime, expired: Sequence[RoutePlace]
    ) -> Iterator[tuple[RoutePlace, tuple[FlowImpactRow, ...]]]:
        """What becomes of the flows when the clock reaches an instant, by the route that brings it about."""
        until_then = self._evaluation.snapshot
        changes: dict[RoutePlace, list[VerdictChange]] = {route: [] for route in expired}
        for change in self._evaluation.advance(self._catalogs, at=instant, faults=self._faults):
            changes[_cause(until_then, change.flow, expired)].append(change)
        for route, found in changes.items():
            yield route, tuple(impact_row(change) for change in sorted(found, key=gravest_first))


def _cause(snapshot: Snapshot, flow: FlowQuestion, expired: Sequence[RoutePlace]) -> RoutePlace:
    """The expired route that the flow went by, there or back; the first where it went by none of them."""
    if len(expired) == 1:
        return expired[0]
    legs = round_trip(snapshot, flow, legs=2)
    taken = {
        (hop.instance, hop.decision.table, hop.decision.route.name)
        for leg in legs
        for way in leg.ways
        for hop in way.hops
        if hop.decision.route is not None
    }
    return next((each for each in expired if (each.instance, each.database, each.route) in taken), expired[0])
