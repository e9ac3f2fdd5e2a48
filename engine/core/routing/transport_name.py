"""The next hop hidden in a service name, for TRANSPORT routes (routing.md 5.3)."""

from __future__ import annotations

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.route import NetworkAddress
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import ServiceName
from engine.core.vocabulary.messages import TcpAddress


def derive_address(service: ServiceName) -> TcpAddress | None:
    """The address that `service` begins with, or None when it begins with none that a route could have (9785)."""
    if service[:6].lower() != "tcp://":
        return None
    try:
        address, _ = parse_route_address(service, port_required=False)
    except CatalogError:
        return None
    return address.tcp if isinstance(address, NetworkAddress) else None
