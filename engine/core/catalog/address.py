"""Texts that say where a route leads: addresses and broker ids, parsed (routing.md 1.1, 5, E18 to E24).

Whoever types an address hears at once what is wrong with it. Nothing here resolves a host name: whether a host
exists is found out when a message is to go there (status 9783).
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from uuid import UUID

from engine.core.catalog.names import has_unprintable, length_of
from engine.core.catalog.route import LocalAddress, NetworkAddress, RouteAddress, TransportAddress
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.limits import (
    ADDRESS_PORT_MAX,
    BROKER_INSTANCE_LENGTH_MAX,
    DEFAULT_PORT,
    SERVICE_NAME_LENGTH_MAX,
)
from engine.core.vocabulary.messages import TcpAddress

_SCHEME = "tcp://"
_HOST_AND_PORT = re.compile(r"(?:\[(?P<ipv6>[^\]]*)\]|(?P<host>[^:\[\]]*))(?P<port>:.*)?", re.DOTALL)
_NOT_IN_HOST = re.compile(r"[\s@?#\\%,;'\"<>|]")
_GUID = re.compile(r"(\{)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?(1)\})", re.IGNORECASE)


def check_clause(clause: str, text: str, limit: int) -> None:
    """Refuse an empty text (9659) and one of more than `limit` characters (9660)."""
    if not text:
        raise CatalogError(9659, value=clause, clause=clause)
    if length_of(text) > limit:
        raise CatalogError(9660, value=clause, clause=clause, limit=limit)


def parse_broker_instance(text: str, *, clause: str = "BROKER_INSTANCE") -> BrokerInstanceId:
    """The broker id that `text` spells, in any letter case; errors 9659, 9660, 8413."""
    check_clause(clause, text, BROKER_INSTANCE_LENGTH_MAX)
    if not _GUID.fullmatch(text):
        raise CatalogError(8413, value=text, clause=clause)
    return BrokerInstanceId(UUID(text))


@lru_cache(maxsize=1024)
def parse_route_address(
    text: str, *, port_required: bool, clause: str = "ADDRESS"
) -> tuple[RouteAddress, tuple[str, ...]]:
    """The address that `text` spells, and warnings in sentences; errors 9659, 9660, 9744.

    Without `port_required` an address without port means port 4022 and earns a warning (E21). Many routes share few
    addresses, and each is judged again by every catalog that it enters, so the last answers are kept.
    """
    check_clause(clause, text, SERVICE_NAME_LENGTH_MAX)
    if text.upper() == "LOCAL":
        return LocalAddress(), ()
    if text.upper() == "TRANSPORT":
        return TransportAddress(), ()
    if not text.lower().startswith(_SCHEME):
        raise _invalid(text, clause, "it begins with none of TCP://, LOCAL, TRANSPORT")
    if has_unprintable(text):
        raise _invalid(text, clause, "it holds a control character")
    authority = text[len(_SCHEME) :].split("/", 1)[0]
    parts = _HOST_AND_PORT.fullmatch(authority)
    if parts is None or (parts["ipv6"] is None and authority.count(":") > 1):
        raise _invalid(text, clause, "the host cannot be told from the port; an IPv6 address stands in brackets")
    host = _ipv6(text, clause, parts["ipv6"]) if parts["ipv6"] is not None else _host(text, clause, parts["host"])
    if parts["port"] is None:
        if port_required:
            raise _invalid(text, clause, f"the port is missing, by custom {DEFAULT_PORT}")
        warning = f"The address '{text}' names no port; {DEFAULT_PORT} is assumed."
        return NetworkAddress(text, TcpAddress(host, DEFAULT_PORT)), (warning,)
    return NetworkAddress(text, TcpAddress(host, _port(text, clause, parts["port"][1:]))), ()


def _invalid(text: str, clause: str, detail: str) -> CatalogError:
    return CatalogError(9744, address=text, detail=detail, clause=clause)


def _ipv6(text: str, clause: str, literal: str) -> str:
    try:
        return ipaddress.IPv6Address(literal).compressed
    except ValueError:
        raise _invalid(text, clause, f"'{literal}' is not an IPv6 address") from None


def _host(text: str, clause: str, host: str) -> str:
    if not host:
        raise _invalid(text, clause, "the host is missing")
    if (stranger := _NOT_IN_HOST.search(host)) is not None:
        raise _invalid(text, clause, f"the host holds '{stranger[0]}'")
    if re.fullmatch(r"[0-9.]+", host):
        try:
            ipaddress.IPv4Address(host)
        except ValueError:
            raise _invalid(text, clause, f"'{host}' is not an IPv4 address") from None
    return host.lower()


def _port(text: str, clause: str, digits: str) -> int:
    if not re.fullmatch(r"[0-9]+", digits):
        raise _invalid(text, clause, f"'{digits}' is not a port number")
    if len(digits) > len(str(ADDRESS_PORT_MAX)) or not 0 < int(digits) <= ADDRESS_PORT_MAX:
        raise _invalid(text, clause, f"the port {digits} is outside the range 1 to {ADDRESS_PORT_MAX}")
    return int(digits)
