"""The routes of one database, indexed by what MATCH asks for (routing.md 3.1).

The index holds live routes only. Time moves routes out of it and, for whoever asks about an earlier instant, in
again; each route moves alone. So neither a decision nor a change of one route costs more in a large table.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Iterable, Iterator
from itertools import count
from math import inf

from engine.core.catalog.route import Route
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.routing.candidates import CandidateSet, CreationOrder, Ordered
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, RouteName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime

_Expiry = tuple[UtcTime, CreationOrder, int, Route]
"""When, which, and a ticket: the route's last one stands, others were overtaken."""


def is_live(route: Route, now: UtcTime) -> bool:
    """Whether the route is visible at all: live until, not on, its expiry instant (routing.md E31)."""
    return route.expires_at is None or now < route.expires_at


# Of every service of which no route names an id, as of most; nothing is added to them.
_NO_IDS: Ordered[BrokerInstanceId] = Ordered()
_NOTHING_BY_ID: dict[int, CandidateSet] = {}
_NO_ID_ORDERS: dict[int, CreationOrder] = {}


class ServiceRoutes:
    """The live routes that name one service."""

    __slots__ = ("by_id", "id_orders", "ids", "name_only")

    def __init__(self) -> None:
        self.name_only: CandidateSet | None = None
        self.by_id = _NOTHING_BY_ID
        """By the number of the id, which is found several times as fast as the id itself."""
        self.ids = _NO_IDS
        """The ids that occur, in order of their first route (routing.md E8)."""
        self.id_orders = _NO_ID_ORDERS


class RoutingTable:
    """`sys.routes` of one database. Route names are unique without regard to letter case.

    Before `services`, `last_resort` or `asks_for_routes` is read, `at` must be called with the instant of the question,
    unless `same_from` and `same_until` say that nothing has changed by then.
    """

    def __init__(self, database: DatabaseName, routes: Iterable[Route] = ()) -> None:
        self.database = database
        self.services: dict[ServiceName, ServiceRoutes] = {}
        self.last_resort: CandidateSet | None = None
        self.asks_for_routes = False
        """Whether a live route to the configuration service stands here (step 4, routing.md 6)."""
        self._orders: dict[str, CreationOrder] = {}
        self._routes: dict[str, Route] = {}
        self._similar: dict[str | None, dict[str, Route]] | None = None
        """All routes, expired ones too, by service without letter case and outer blanks; made when first asked for."""
        self._tickets: dict[str, int] = {}
        self._next_ticket = count()
        self._next_order = count()
        self._ahead: list[_Expiry] = []
        """Expiries to come, a heap."""
        self._behind: list[_Expiry] = []
        """Expiries that have been, the latest last."""
        self._now = UtcTime(-inf)
        self.same_from, self.same_until = -inf, inf
        """The index holds for questions from the one instant until before the other; for others call `at`."""
        for route in routes:
            self.put(route)

    def __len__(self) -> int:
        return len(self._routes)

    def __iter__(self) -> Iterator[Route]:
        """All routes, in order of creation."""
        return iter(sorted(self._routes.values(), key=lambda route: self._orders[route.name.casefold()]))

    # ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────
    def put(self, route: Route) -> None:
        """Add a route, or replace the one of the same name, which keeps its place; no other route is touched."""
        key = route.name.casefold()
        order = self._orders.get(key)
        if order is None:
            order = self._orders[key] = next(self._next_order)
        else:
            self._take_out(key, order)
        self._routes[key] = route
        if self._similar is not None:
            self._similar.setdefault(similar_name(route.service_name), {})[key] = route
        if is_live(route, self._now):
            self._show(order, route)
            self._expect(order, route)
        else:
            self._remember_expired(order, route)

    def drop(self, name: RouteName) -> None:
        """Take a route out; absent names are ignored."""
        key = name.casefold()
        order = self._orders.pop(key, None)
        if order is not None:
            self._take_out(key, order)

    def _take_out(self, key: str, order: CreationOrder) -> None:
        route = self._routes.pop(key)
        self._tickets.pop(key, None)
        if self._similar is not None:
            alike = self._similar[similar_name(route.service_name)]
            del alike[key]
            if not alike:
                del self._similar[similar_name(route.service_name)]
        if is_live(route, self._now):
            self._hide(order, route)
        if route.expires_at is not None and len(self._ahead) + len(self._behind) > 2 * len(self._routes) + 64:
            self._ahead = [entry for entry in self._ahead if self._stands(entry)]
            heapq.heapify(self._ahead)
            self._behind = [entry for entry in self._behind if self._stands(entry)]
            self._bound()

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def at(self, now: UtcTime) -> None:
        """Show the table as it is at `now`."""
        while self._behind and now < self._behind[-1][0]:
            entry = self._behind.pop()
            if self._stands(entry):
                self._show(entry[1], entry[3])
                heapq.heappush(self._ahead, entry)
        while self._ahead and self._ahead[0][0] <= now:
            entry = heapq.heappop(self._ahead)
            if self._stands(entry):
                self._hide(entry[1], entry[3])
                self._behind.append(entry)
        self._now = now
        self._bound()

    def _bound(self) -> None:
        self.same_from = self._behind[-1][0] if self._behind else -inf
        self.same_until = self._ahead[0][0] if self._ahead else inf

    def _expect(self, order: CreationOrder, route: Route) -> None:
        if route.expires_at is not None:
            heapq.heappush(self._ahead, (route.expires_at, order, self._ticket(route), route))
            self._bound()

    def _remember_expired(self, order: CreationOrder, route: Route) -> None:
        if route.expires_at is not None:
            insort(self._behind, (route.expires_at, order, self._ticket(route), route))
            self._bound()

    def _ticket(self, route: Route) -> int:
        ticket = self._tickets[route.name.casefold()] = next(self._next_ticket)
        return ticket

    def _stands(self, entry: _Expiry) -> bool:
        """Whether the expiry is still that of a route in the table."""
        return self._tickets.get(entry[3].name.casefold()) == entry[2]

    # ── index ────────────────────────────────────────────────────────────────────────────────────────────────────
    def _show(self, order: CreationOrder, route: Route) -> None:
        if route.service_name is None:
            self.last_resort = _with(self.last_resort, order, route)
            return
        service = self.services.get(route.service_name)
        if service is None:
            service = self.services[route.service_name] = ServiceRoutes()
        broker = route.broker_instance
        if broker is None:
            service.name_only = _with(service.name_only, order, route)
            self._look_for_asking()
            return
        number = broker.int
        if service.ids is _NO_IDS:
            service.ids, service.by_id, service.id_orders = Ordered(), {}, {}
        routes = service.by_id.get(number)
        if routes is None:
            service.id_orders[number] = order
            # An altered route keeps its place, so two ids may have come with the same one.
            service.ids.add(order, broker, number)
        service.by_id[number] = _with(routes, order, route)

    def _hide(self, order: CreationOrder, route: Route) -> None:
        if route.service_name is None:
            self.last_resort = _without(self.last_resort, order, route)
            return
        service = self.services[route.service_name]
        broker = route.broker_instance
        if broker is None:
            service.name_only = _without(service.name_only, order, route)
            self._look_for_asking()
        elif _without(service.by_id[broker.int], order, route) is None:
            del service.by_id[broker.int]
            service.ids.remove(service.id_orders.pop(broker.int), broker.int)
        if service.name_only is None and not service.by_id:
            del self.services[route.service_name]

    def _look_for_asking(self) -> None:
        service = self.services.get(BROKER_CONFIGURATION_SERVICE)
        self.asks_for_routes = service is not None and service.name_only is not None

    # ── questions besides those of MATCH ─────────────────────────────────────────────────────────────────────────
    def leading_to(self, target: DialogTarget, now: UtcTime) -> Iterator[Route]:
        """Live routes that could lead to a target, whichever of them has its way now; without an id, to any copy."""
        if not self.same_from <= now < self.same_until:
            self.at(now)
        service, broker = self.services.get(target.service_name), target.broker_instance
        if service is not None:
            found = list(service.by_id.values()) if broker is None else [service.by_id.get(broker.int)]
            for candidates in (*found, service.name_only):
                yield from candidates or ()
        yield from self.last_resort or ()

    def similar_to(self, service: ServiceName) -> Iterator[Route]:
        """Routes a reader might expect to fit: for a name that differs at most in case and outer blanks, or for any."""
        similar = self._by_similar_name()
        yield from similar.get(similar_name(service), {}).values()
        yield from similar.get(None, {}).values()

    def dissimilar_to(self, service: ServiceName) -> Iterator[Route]:
        """All other routes."""
        alike = similar_name(service)
        for name, routes in self._by_similar_name().items():
            if name is not None and name != alike:
                yield from routes.values()

    def _by_similar_name(self) -> dict[str | None, dict[str, Route]]:
        if self._similar is None:
            self._similar = {}
            for key, route in self._routes.items():
                self._similar.setdefault(similar_name(route.service_name), {})[key] = route
        return self._similar


def similar_name(service: ServiceName | None) -> str | None:
    """The name without letter case and outer blanks, where a person sees no difference."""
    return None if service is None else service.strip().casefold()


def _with(routes: CandidateSet | None, order: CreationOrder, route: Route) -> CandidateSet:
    if routes is None:
        return CandidateSet(order, route)
    routes.add(order, route)
    return routes


def _without(routes: CandidateSet | None, order: CreationOrder, route: Route) -> CandidateSet | None:
    assert routes is not None, "a live route is in its set"
    return routes if routes.remove(order, route) else None
