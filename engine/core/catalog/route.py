"""A row of `sys.routes` and the three forms of its address (routing.md 1.1, 5)."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.identifiers import BrokerInstanceId, RouteName, ServiceName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime


class LocalAddress(msgspec.Struct, frozen=True, tag="local"):
    """LOCAL: deliver inside this instance."""

    def __str__(self) -> str:
        return "LOCAL"


class TransportAddress(msgspec.Struct, frozen=True, tag="transport"):
    """TRANSPORT: the next hop stands at the start of the target service's name."""

    def __str__(self) -> str:
        return "TRANSPORT"


class NetworkAddress(msgspec.Struct, frozen=True, tag="tcp"):
    """`TCP://host:port`; `text` is kept exactly as it was typed, `tcp` is what is compared and dialled."""

    text: str
    tcp: TcpAddress

    def __str__(self) -> str:
        return self.text


RouteAddress = LocalAddress | TransportAddress | NetworkAddress


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One route. None in `service_name` or `broker_instance` matches everything; no `expires_at` never expires."""

    name: RouteName
    address: RouteAddress
    service_name: ServiceName | None = None
    broker_instance: BrokerInstanceId | None = None
    expires_at: UtcTime | None = None
    mirror_address: NetworkAddress | None = None
