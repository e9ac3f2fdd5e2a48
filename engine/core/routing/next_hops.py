"""The addresses to which messages could go next, whatever is drawn and whoever of two partners is the principal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.route import NetworkAddress, Route, TransportAddress
from engine.core.routing.decision import ClassifierDecision
from engine.core.routing.table import RoutingTable
from engine.core.routing.transport_name import derive_address
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.core.vocabulary.moment import UtcTime


def next_hops_of(decision: ClassifierDecision) -> Iterator[TcpAddress]:
    """Of a decision: its own, both partners of its route and of the one in `msdb`, and those of the alternatives."""
    if decision.address is not None:
        yield decision.address
    for route in (decision.route, None if decision.via is None else decision.via.route):
        if route is not None and route.mirror_address is not None:
            yield route.mirror_address.tcp
    yield from (each.address for each in decision.alternatives if each.address is not None)


def next_hops_by(table: RoutingTable, target: DialogTarget, now: UtcTime) -> Iterator[TcpAddress]:
    """By any route that could lead to a target: one that has its way now gives way when it expires or is dropped."""
    for route in table.leading_to(target, now):
        yield from _addresses_of(route, target)


def _addresses_of(route: Route, target: DialogTarget) -> Iterator[TcpAddress]:
    if isinstance(route.address, NetworkAddress):
        yield route.address.tcp
    elif isinstance(route.address, TransportAddress) and (derived := derive_address(target.service_name)) is not None:
        yield derived
    if route.mirror_address is not None:
        yield route.mirror_address.tcp
