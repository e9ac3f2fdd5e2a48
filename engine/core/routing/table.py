"""The routes of one database, indexed by what MATCH asks for (routing.md 3.1).

Four dictionaries answer the four questions of the match steps without looking at any other route, so the cost of a
decision does not grow with the table. Routes of one answer stand in order of their creation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.core.catalog.route import Route
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, RouteName, ServiceName
from engine.core.vocabulary.moment import UtcTime

_Bucket = dict[RouteName, Route]


def is_live(route: Route, now: UtcTime) -> bool:
    """Whether the route is visible at all: live until, not on, its expiry instant (routing.md E31)."""
    return route.expires_at is None or now < route.expires_at


class RoutingTable:
    """`sys.routes` of one database. Route names are unique without regard to letter case."""

    def __init__(self, database: DatabaseName, routes: Iterable[Route] = ()) -> None:
        self.database = database
        self._routes: dict[str, Route] = {}
        self._full: dict[tuple[ServiceName, BrokerInstanceId], _Bucket] = {}
        self._name_only: dict[ServiceName, _Bucket] = {}
        self._with_id: dict[ServiceName, _Bucket] = {}
        self._last_resort: _Bucket = {}
        for route in routes:
            self.put(route)

    def __len__(self) -> int:
        return len(self._routes)

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes.values())

    def put(self, route: Route) -> None:
        """Add a route, or replace the one of the same name; the rest of the table is not touched."""
        self.drop(route.name)
        self._routes[route.name.casefold()] = route
        for bucket in self._buckets(route):
            bucket[route.name] = route

    def drop(self, name: RouteName) -> None:
        """Take a route out; absent names are ignored."""
        route = self._routes.pop(name.casefold(), None)
        if route is None:
            return
        for bucket in self._buckets(route):
            del bucket[route.name]

    def _buckets(self, route: Route) -> list[_Bucket]:
        if route.service_name is None:
            return [self._last_resort]
        if route.broker_instance is None:
            return [self._name_only.setdefault(route.service_name, {})]
        return [
            self._full.setdefault((route.service_name, route.broker_instance), {}),
            self._with_id.setdefault(route.service_name, {}),
        ]

    def full(self, service: ServiceName, broker: BrokerInstanceId, now: UtcTime) -> list[Route]:
        """Step 1: live routes that name both the service and the broker id."""
        return _live(self._full.get((service, broker)), now)

    def name_only(self, service: ServiceName, now: UtcTime) -> list[Route]:
        """Step 2: live routes that name the service and no id."""
        return _live(self._name_only.get(service), now)

    def with_id(self, service: ServiceName, now: UtcTime) -> list[Route]:
        """Step 3: live routes that name the service and any id."""
        return _live(self._with_id.get(service), now)

    def has_broker_configuration(self, now: UtcTime) -> bool:
        """Step 4: whether a live route to the dynamic-routing service stands in this table."""
        return bool(self.name_only(BROKER_CONFIGURATION_SERVICE, now))

    def last_resort(self, now: UtcTime) -> list[Route]:
        """Step 5: live routes that name neither."""
        return _live(self._last_resort, now)


def _live(bucket: _Bucket | None, now: UtcTime) -> list[Route]:
    return [route for route in bucket.values() if is_live(route, now)] if bucket else []
