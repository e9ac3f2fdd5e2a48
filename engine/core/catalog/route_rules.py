"""What a route may be (routing.md 1.1): one place that the form, the API and the T-SQL compiler all ask.

`make_route` builds a route from clause texts as a person gives them; `check_route` judges a finished one, wherever
it came from.
"""

from __future__ import annotations

from engine.core.catalog.address import check_clause, parse_broker_instance, parse_route_address
from engine.core.catalog.names import check_name, has_unprintable
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, RouteAddress, TransportAddress
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import RouteName, ServiceName, known_id
from engine.core.vocabulary.limits import LIFETIME_SECONDS_MAX, SERVICE_NAME_LENGTH_MAX
from engine.core.vocabulary.moment import UtcTime

BROKER_CONFIGURATION_SERVICE = ServiceName("SQL/ServiceBroker/BrokerConfiguration")
"""The service that is asked for missing routes (routing.md 6)."""

AUTO_CREATED_LOCAL = Route(name=RouteName("AutoCreatedLocal"), address=LocalAddress())
"""The catch-all every database but master is born with (routing.md 1.2)."""


def make_route(
    *,
    name: str,
    address: str,
    now: UtcTime,
    service_name: str | None = None,
    broker_instance: str | None = None,
    lifetime_seconds: int | None = None,
    mirror_address: str | None = None,
    port_required: bool = True,
) -> tuple[Route, tuple[str, ...]]:
    """A route from the texts of its clauses, and warnings in sentences; None is a clause not given.

    Raises `CatalogError`; its parameter `clause` names the clause at fault where one alone is to blame.
    """
    where, warnings = parse_route_address(address, port_required=port_required)
    mirror: NetworkAddress | None = None
    if mirror_address is not None:
        mirror, mirror_warnings = parse_mirror_address(name, mirror_address, port_required=port_required)
        warnings += mirror_warnings
    route = Route(
        name=RouteName(name),
        address=where,
        service_name=None if service_name is None else parse_service_name(service_name),
        broker_instance=None if broker_instance is None else known_id(parse_broker_instance(broker_instance)),
        expires_at=None if lifetime_seconds is None else expiry_of(lifetime_seconds, now),
        mirror_address=mirror,
    )
    check_route(route)
    return route, warnings


def parse_mirror_address(route: str, text: str, *, port_required: bool) -> tuple[NetworkAddress, tuple[str, ...]]:
    """The mirror address that `text` spells; LOCAL and TRANSPORT are none (9743)."""
    clause = "MIRROR_ADDRESS"
    address, warnings = parse_route_address(text, port_required=port_required, clause=clause)
    if not isinstance(address, NetworkAddress):
        raise CatalogError(9743, value=clause, name=route, clause=clause)
    return address, warnings


def parse_service_name(text: str) -> ServiceName:
    """The service a route leads to, kept exactly as typed (E19); errors 9659, 9660, 8412."""
    clause = "SERVICE_NAME"
    check_clause(clause, text, SERVICE_NAME_LENGTH_MAX)
    if has_unprintable(text):
        raise CatalogError(8412, service=text, clause=clause)
    return ServiceName(text)


def expiry_of(lifetime_seconds: int, now: UtcTime) -> UtcTime:
    """The instant at which a route made `now` expires (routing.md 8); 9746 outside 1 to 2147483647 (E32)."""
    if not 1 <= lifetime_seconds <= LIFETIME_SECONDS_MAX:
        raise CatalogError(9746, value=lifetime_seconds, clause="LIFETIME")
    return UtcTime(now + lifetime_seconds)


def check_route(route: Route) -> None:
    """Refuse a route whose name or whose clauses together are not legal."""
    check_name(route.name)
    _check_address(route.address, "ADDRESS")
    if route.service_name is not None:
        parse_service_name(route.service_name)
    if route.mirror_address is not None:
        _check_address(route.mirror_address, "MIRROR_ADDRESS")
        _check_mirror(route, route.mirror_address)
    if route.broker_instance is not None and route.service_name is None:
        raise CatalogError(9662, name=route.name, clause="SERVICE_NAME")
    if isinstance(route.address, TransportAddress) and route.service_name is not None:
        raise CatalogError(9745, name=route.name, clause="SERVICE_NAME")
    if route.service_name == BROKER_CONFIGURATION_SERVICE and route.broker_instance is not None:
        raise CatalogError(
            153,
            name=route.name,
            value="BROKER_INSTANCE",
            detail="the configuration service is asked wherever it is, not in one database",
            clause="BROKER_INSTANCE",
        )


def _check_mirror(route: Route, mirror: NetworkAddress) -> None:
    missing = [
        clause
        for clause, value in (("SERVICE_NAME", route.service_name), ("BROKER_INSTANCE", route.broker_instance))
        if value is None
    ]
    if missing:
        raise CatalogError(9661, name=route.name, expected=" and ".join(missing), clause=missing[0])
    if not isinstance(route.address, NetworkAddress):
        raise CatalogError(9743, value="ADDRESS", name=route.name, clause="ADDRESS")
    if route.address.tcp == mirror.tcp:
        raise CatalogError(9747, name=route.name, clause="MIRROR_ADDRESS")


def _check_address(address: RouteAddress, clause: str) -> None:
    """A value that came over the wire may carry a text and a target that contradict each other."""
    if not isinstance(address, NetworkAddress):
        return
    parsed, _ = parse_route_address(address.text, port_required=False, clause=clause)
    if not isinstance(parsed, NetworkAddress) or parsed.tcp != address.tcp:
        raise CatalogError(9744, address=address.text, detail=f"it does not spell {address.tcp}", clause=clause)
