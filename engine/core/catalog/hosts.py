"""Which instance of an estate an address means: the one set of rules for the engine, the map and the router.

First the host says who is called: one of an instance's names, exactly; else the first label of a full name, of whoever
has no other full name with that label; else, for loopback, the caller itself if the port is its own, or whoever has
the port, if one alone has it. Then the port must be that of the endpoint (routing.md E25).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Generic, TypeVar

from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import TcpAddress

Key = TypeVar("Key")


def host_names(instance: InstanceName, further: Iterable[str]) -> tuple[str, ...]:
    """Names an instance answers to: that of its server, which a named instance shares, and what else was given."""
    own = instance.split("\\")[0].lower()
    return tuple(dict.fromkeys((own, *(name.lower() for name in further))))


def is_loopback(host: str) -> bool:
    """Whether a host, in lower case, is the very machine that says it."""
    number = _number(host)
    return host == "localhost" or (number is not None and number.is_loopback)


class HostBook(Generic[Key]):
    """Instances of an estate by host and port; `entries` are a key, host names in lower case, and a port if any."""

    def __init__(self, entries: Iterable[tuple[Key, Iterable[str], int | None]]) -> None:
        self._by_host: dict[str, list[tuple[Key, int | None]]] = {}
        self._by_label: dict[str, list[tuple[Key, int | None]]] = {}
        self._by_port: dict[int | None, list[tuple[Key, int | None]]] = {}
        for key, hosts, port in entries:
            self._by_port.setdefault(port, []).append((key, port))
            names = tuple(hosts)
            # Of a host whose full name is known, another full name that begins alike is another host.
            full = {name.partition(".")[0] for name in names if "." in name}
            for name in names:
                self._by_host.setdefault(name, []).append((key, port))
                if name not in full:
                    self._by_label.setdefault(name, []).append((key, port))

    def called(self, address: TcpAddress, caller: Key | None = None) -> list[Key]:
        """Whom the host of an address means, whatever the port; empty when nobody of the estate."""
        return [key for key, _ in self._called(address, caller)]

    def at(self, address: TcpAddress, caller: Key | None = None) -> list[Key]:
        """Whom an address means that `caller` dials: the host calls them, and the port is theirs."""
        return [key for key, port in self._called(address, caller) if port == address.port]

    def _called(self, address: TcpAddress, caller: Key | None) -> list[tuple[Key, int | None]]:
        host = address.host.lower().rstrip(".")
        if host in self._by_host:
            return self._by_host[host]
        if is_loopback(host):
            here = self._by_port.get(address.port, [])
            own = [entry for entry in here if entry[0] == caller]
            return own or (here if len(here) == 1 else [])
        return [] if _number(host) is not None else self._by_label.get(host.partition(".")[0], [])


def _number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
