"""The addresses to which a decision could send, whatever is drawn and whoever of two partners is the principal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.route import Route
from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.messages import TcpAddress


def next_hops_of(decision: ClassifierDecision) -> Iterator[TcpAddress]:
    """The next hop, both partners of a mirrored route, and those of the alternatives."""
    if decision.address is not None:
        yield decision.address
    for route in (decision.route, None if decision.via is None else decision.via.route):
        yield from _mirror_of(route)
    yield from (each.address for each in decision.alternatives if each.address is not None)


def _mirror_of(route: Route | None) -> Iterator[TcpAddress]:
    if route is not None and route.mirror_address is not None:
        yield route.mirror_address.tcp
