"""Where a request comes from when a proxy may stand in between.

`X-Forwarded-For` is written by whoever likes to. Each proxy adds the address that it was called from at the end, so the
list is read from there, and only as long as it was a trusted proxy that has written the entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

Network = IPv4Network | IPv6Network
HOPS_MAX = 32
"""Entries of the list that are looked at; nobody has as many proxies."""


def client_address(request: HttpRequest) -> str:
    """The address of the client, as the last proxy that is trusted says; without one, that of the connection."""
    return forwarded_for(
        str(request.META.get("REMOTE_ADDR") or ""),
        request.headers.get("X-Forwarded-For", ""),
        settings.TRUSTED_PROXIES,
    )


def forwarded_for(connected: str, header: str, trusted: Sequence[Network]) -> str:
    """The nearest address that is no trusted proxy.

    `connected` is who holds the connection. What is no address ends the way: what stands before it is not believed.
    """
    address = connected
    for entry in reversed(header.split(",")[-HOPS_MAX:]):
        if not is_trusted(address, trusted):
            break
        told = _address(entry)
        if told is None:
            break
        address = str(told)
    return address


def is_trusted_proxy(address: str) -> bool:
    """Whether the holder of a connection is a proxy of TRUSTED_PROXIES."""
    return is_trusted(address, settings.TRUSTED_PROXIES)


def is_trusted(text: str, trusted: Sequence[Network]) -> bool:
    """Whether this is the address of a trusted proxy; False for what is no address."""
    address = _address(text)
    return address is not None and any(address in network for network in trusted)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """An address, also with a port as some proxies write it; one of IPv4 that travels as IPv6 is that of IPv4."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
