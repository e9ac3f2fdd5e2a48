"""What assertions exercise of an estate: routes they take, routes nobody can take, flows nobody asserts anything of.

Whether a route can ever win is asked of the router, as for a checked routing table (`engine.route_check.coverage`). A
LOCAL or network route that alone names its service needs no asking: whoever asks for that service is given it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine.assertions.assertion import Assertion
from engine.assertions.running import UsedRoute
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.route import Route, TransportAddress
from engine.core.catalog.route_rules import AUTO_CREATED_LOCAL
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MSDB, DatabaseName, InstanceName, RouteName, ServiceName
from engine.core.vocabulary.moment import UtcTime
from engine.route_check.coverage import Table
from engine.route_check.never import NeverReason, NeverWins
from engine.whatif.flows import possible_flows
from engine.whatif.telling import FlowQuestion

Catalogs = Mapping[InstanceName, InstanceCatalog]
FLOWS_LISTED_MAX: Final = 1_000


class RouteCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """One route, and what the assertions have asked of it."""

    instance: InstanceName
    database: DatabaseName
    route: RouteName
    assertions: int
    """How many took it; 0 is "never exercised"."""
    never: NeverWins | None = None
    """Why it can never win, whatever is asked; None when it can."""
    is_default: bool = False
    """The catch-all that came with its database: told, and not counted."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """Routes that are counted are those that somebody has made and that can win."""

    routes: tuple[RouteCoverage, ...]
    counted: int
    exercised: int
    """Of those that are counted."""
    flows: int
    """Possible in the estate."""
    flows_asserted: int
    flows_without: tuple[FlowQuestion, ...]
    """Without any assertion; the first of them where there are more than `FLOWS_LISTED_MAX`."""

    @property
    def percent(self) -> float:
        """Share of the counted routes that is exercised, 0 to 100; 100 where there is none to exercise."""
        return 100.0 * self.exercised / self.counted if self.counted else 100.0

    @property
    def never_exercised(self) -> tuple[RouteCoverage, ...]:
        """Routes that could win, and that no assertion took."""
        return tuple(each for each in self.routes if not each.assertions and each.never is None)

    @property
    def never_win(self) -> tuple[RouteCoverage, ...]:
        """Routes that nobody is ever given."""
        return tuple(each for each in self.routes if each.never is not None)


def coverage(
    assertions: Iterable[Assertion], used: Mapping[UsedRoute, int], catalogs: Catalogs, *, at: UtcTime
) -> Coverage:
    """What assertions exercise of an estate as its routes are `at` an instant; `used` is what their run has told."""
    given = {catalog.name: catalog for catalog in catalogs.values()}
    tables = _Tables(at)
    routes = tuple(
        each
        for catalog in given.values()
        for database in catalog.databases.values()
        for each in _of_database(catalog.name, database, used, tables)
    )
    counted = [each for each in routes if each.never is None and not each.is_default]
    asserted = {assertion.question for assertion in assertions}
    flows = dict.fromkeys(possible_flows(given))
    without = [flow for flow in flows if flow not in asserted]
    return Coverage(
        routes=routes,
        counted=len(counted),
        exercised=sum(each.assertions > 0 for each in counted),
        flows=len(flows),
        flows_asserted=len(flows) - len(without),
        flows_without=tuple(without[:FLOWS_LISTED_MAX]),
    )


def never_wins(catalogs: Catalogs, *, at: UtcTime) -> list[RouteCoverage]:
    """Every route that can never win, whatever is asked of its table."""
    return [each for each in coverage((), {}, catalogs, at=at).routes if each.never is not None]


def _of_database(
    instance: InstanceName, database: DatabaseCatalog, used: Mapping[UsedRoute, int], tables: _Tables
) -> Iterable[RouteCoverage]:
    live = tables.live(database)
    alone = Counter(route.service_name for route in live)
    for route in database.routes.values():
        count = used.get((instance, database.name, route.name), 0)
        yield RouteCoverage(
            instance=instance,
            database=database.name,
            route=route.name,
            assertions=count,
            never=None if count else tables.why_never(database.name, live, route, alone),
            is_default=route == AUTO_CREATED_LOCAL,
        )


class _Tables:
    """The routers that are asked; tables that are the same share one."""

    def __init__(self, at: UtcTime) -> None:
        self._at = at
        self._tables: dict[tuple[str, tuple[Route, ...]], Table] = {}

    def live(self, database: DatabaseCatalog) -> tuple[Route, ...]:
        """The routes that have not expired, as if they never would."""
        replace = msgspec.structs.replace
        return tuple(
            route if route.expires_at is None else replace(route, expires_at=None)
            for route in database.routes.values()
            if is_live(route, self._at)
        )

    def why_never(
        self, database: DatabaseName, live: tuple[Route, ...], route: Route, alone: Mapping[ServiceName | None, int]
    ) -> NeverWins | None:
        if not is_live(route, self._at):
            return NeverWins(reason=NeverReason.EXPIRED)
        service = route.service_name
        if service is not None and alone[service] == 1 and not isinstance(route.address, TransportAddress):
            return None
        kind = "msdb" if database == MSDB else "database"
        table = self._tables.get((kind, live))
        if table is None:
            table = self._tables[kind, live] = Table(len(self._tables), kind, live)
        return table.why_never(msgspec.structs.replace(route, expires_at=None))
