"""`CandidateSet`: the live routes that answer one question of MATCH, sorted for CHOOSE while they change.

Every change costs a search in a sorted list, never a pass over the set: a table of a hundred thousand routes takes
one more route as fast as a table of ten.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Generic, TypeVar

from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.routing.precedence import ChooseStep
from engine.core.vocabulary.messages import TcpAddress

CreationOrder = int
"""A route's place among the routes of its table; an altered route keeps it."""

_Place = tuple[bool, CreationOrder, Route]
"""Where a route stands among those that count as one with it; no two have the same order."""

T = TypeVar("T")

Choice = tuple[int, Route, TcpAddress | None]
"""A choose step, the route it took, and the network address of that route if it has one."""


# Looking an enumeration member up costs a third of what putting a route into its set may.
_MIRRORED, _NETWORK = int(ChooseStep.MIRRORED), int(ChooseStep.NETWORK)


class Ordered(Generic[T]):
    """Values in order of creation; `tie` tells apart those that stand in the place of one and the same route."""

    __slots__ = ("_orders", "values")

    def __init__(self) -> None:
        self._orders: list[tuple[CreationOrder, int]] = []
        self.values: list[T] = []

    def add(self, order: CreationOrder, value: T, tie: int = 0) -> None:
        """Put a value in its place."""
        at = bisect_left(self._orders, (order, tie))
        self._orders.insert(at, (order, tie))
        self.values.insert(at, value)

    def remove(self, order: CreationOrder, tie: int = 0) -> None:
        """Take out the value with this order, which is there."""
        at = bisect_left(self._orders, (order, tie))
        del self._orders[at], self.values[at]


# Nearly every set has one route, and a table of many thousand sets would hold two empty dictionaries for each of them.
_NO_KINDS: dict[int, Ordered[Route]] = {}
_NO_GROUPS: dict[object, list[_Place]] = {}


class CandidateSet:
    """Live routes with one answer to MATCH; routes that count as one are represented by one (routing.md 3.2)."""

    __slots__ = ("_groups", "_order", "_several", "kinds", "single")

    def __init__(self, order: CreationOrder, route: Route) -> None:
        self.single: Choice | None = choice_of(route)
        """The one route of the set and the choose step that looks at it. Nearly every set has one route."""
        self._order = order
        self.kinds = _NO_KINDS
        """When there are several: the representatives that each choose step looks at."""
        self._groups = _NO_GROUPS
        """Those that count as one, each group led by the one that represents it."""
        self._several: Ordered[Route] | None = None

    def __iter__(self) -> Iterator[Route]:
        """All routes, in order of creation."""
        if self.single is not None:
            return iter((self.single[1],))
        assert self._several is not None, "a set is never empty"
        return iter(self._several.values)

    def representative(self, route: Route) -> Route:
        """The route as which `route` counts: itself, or the one it is the same as."""
        return route if self.single is not None else self._groups[_counts_as(route)][0][2]

    def add(self, order: CreationOrder, route: Route) -> None:
        """Take in a route that is not there."""
        if self.single is not None:
            first = self.single[1]
            self.single, self._several = None, Ordered()
            self.kinds, self._groups = {}, {}
            self._insert(self._several, self._order, first)
        assert self._several is not None, "a set is never empty"
        self._insert(self._several, order, route)

    def remove(self, order: CreationOrder, route: Route) -> bool:
        """Take out a route that is there; answers whether any is left."""
        if self._several is None:
            return False
        self._several.remove(order)
        key, place = _counts_as(route), _place_of(order, route)
        group = self._groups[key]
        at = bisect_left(group, place)
        del group[at]
        if at == 0:
            self._withdraw(place)
            if group:
                self._present(group[0])
            else:
                del self._groups[key]
        if len(self._several.values) == 1:
            self._become_single()
        return True

    def _insert(self, several: Ordered[Route], order: CreationOrder, route: Route) -> None:
        several.add(order, route)
        place = _place_of(order, route)
        group = self._groups.setdefault(_counts_as(route), [])
        insort(group, place)
        if group[0] is not place:
            return
        if len(group) > 1:
            self._withdraw(group[1])
        self._present(place)

    def _become_single(self) -> None:
        ((_, self._order, route),) = next(iter(self._groups.values()))
        self.single = choice_of(route)
        self.kinds, self._groups, self._several = _NO_KINDS, _NO_GROUPS, None

    def _present(self, place: _Place) -> None:
        _, order, route = place
        kind = int(kind_of(route))
        if kind not in self.kinds:
            self.kinds[kind] = Ordered()
        self.kinds[kind].add(order, route)

    def _withdraw(self, place: _Place) -> None:
        _, order, route = place
        kind = int(kind_of(route))
        self.kinds[kind].remove(order)
        if not self.kinds[kind].values:
            del self.kinds[kind]


def kind_of(route: Route) -> ChooseStep:
    """The choose step that looks at a route."""
    if route.mirror_address is not None:
        return ChooseStep.MIRRORED
    if isinstance(route.address, NetworkAddress):
        return ChooseStep.NETWORK
    return ChooseStep.LOCAL if isinstance(route.address, LocalAddress) else ChooseStep.TRANSPORT


def choice_of(route: Route) -> Choice:
    """The choice that `route` is when it is taken."""
    address = route.address
    if isinstance(address, NetworkAddress):
        return _NETWORK if route.mirror_address is None else _MIRRORED, route, address.tcp
    return int(kind_of(route)), route, None


def _counts_as(route: Route) -> TcpAddress | type:
    """Within one set, where service and id agree, the address decides (routing.md E20)."""
    return route.address.tcp if isinstance(route.address, NetworkAddress) else type(route.address)


def _place_of(order: CreationOrder, route: Route) -> _Place:
    """The mirrored before the others, the older before the younger (routing.md E43)."""
    return route.mirror_address is None, order, route
