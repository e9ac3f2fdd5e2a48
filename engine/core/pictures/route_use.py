"""Use of routes: what waits for each, why, and how much has arrived over it."""

from __future__ import annotations

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.exchange.pictures import RouteUse
from engine.core.forwarding.transmitter import NextHop
from engine.core.handlers.broker import Broker
from engine.core.handlers.transmission_tally import WaitingGroup
from engine.core.mirroring.book import pair_of
from engine.core.vocabulary.identifiers import MSDB, RouteName


def route_uses(broker: Broker, database: DatabaseCatalog) -> tuple[RouteUse, ...]:
    """The routes of a database that messages take or have taken, from sums alone: no conversation is looked at."""
    waiting: dict[RouteName, list[WaitingGroup]] = {}
    for group in broker.transmission_tally().groups(database.name):
        if (route := group.key[2]) is not None:
            waiting.setdefault(route, []).append(group)
    uses = (_use(broker, database, route, waiting.get(route.name, [])) for route in database.routes.values())
    return tuple(use for use in uses if use.messages or use.delivered)


def _use(broker: Broker, database: DatabaseCatalog, route: Route, groups: list[WaitingGroup]) -> RouteUse:
    numbered = [(group.messages, group.key[1]) for group in groups if group.key[1] is not None]
    delivered = broker.counters.route_deliveries.get((database.name, route.name), 0)
    transit, number, passed_on = _transit(broker, route) if database.name == MSDB else (0, None, 0)
    if transit and number is not None:
        numbered.append((transit, number))
    return RouteUse(
        route=route.name,
        conversations=sum(group.conversations for group in groups),
        messages=transit + sum(group.messages for group in groups),
        blocked=sum(messages for messages, _ in numbered),
        number=max(numbered, key=lambda each: each[0])[1] if numbered else None,
        oldest=min((group.since() for group in groups), default=None),
        delivered=delivered + passed_on,
    )


def _transit(broker: Broker, route: Route) -> tuple[int, int | None, int]:
    """Messages of other instances that wait for the route's next hop, the reason, and those that were passed on."""
    if not isinstance(route.address, NetworkAddress):
        return 0, None, 0
    hop: NextHop = pair_of(route) or route.address.tcp
    link = broker.links.get(route.address.tcp)
    waiting = broker.transmitter.waiting(hop)
    return waiting, None if link is None else link.error, broker.counters.forwarded_to.get(hop, 0)
