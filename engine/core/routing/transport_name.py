"""The next hop hidden in a service name, for TRANSPORT routes (routing.md 5.3)."""

from __future__ import annotations

import re

from engine.core.vocabulary.identifiers import ServiceName
from engine.core.vocabulary.limits import ADDRESS_PORT_MAX, DEFAULT_PORT
from engine.core.vocabulary.messages import TcpAddress

_ADDRESS = re.compile(
    r"tcp://(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<host>[^\s:/\[\]]+))(?::(?P<port>\d{1,5}))?(?=/|$)", re.IGNORECASE
)


def derive_address(service: ServiceName) -> TcpAddress | None:
    """The address that `service` begins with, or None when it begins with no legal address (status 9785)."""
    found = _ADDRESS.match(service)
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else DEFAULT_PORT
    if not 0 < port <= ADDRESS_PORT_MAX:
        return None
    return TcpAddress((found["ipv6"] or found["host"]).lower(), port)
