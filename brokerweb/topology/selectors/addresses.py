"""Which instance of an estate a network address leads to.

The host keeps the same book of real ports: an address is an instance's when the host is one of its names and the
port is its endpoint's. A fully qualified name also fits by its first label; loopback fits when the port alone says
who is meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from brokerweb.topology.models import Instance

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class AddressBook:
    """The addresses of an estate's instances. Instances come with their endpoints loaded."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self._by_address: dict[tuple[str, int], str] = {}
        self._by_port: dict[int, list[str]] = {}
        for instance in instances:
            endpoint = getattr(instance, "endpoint", None)
            if endpoint is None:
                continue
            self._by_port.setdefault(endpoint.port, []).append(instance.name)
            for host in (instance.name, *instance.host_names):
                self._by_address.setdefault((host.lower(), endpoint.port), instance.name)

    def instance_at(self, host: str, port: int | None) -> str | None:
        """Name of the instance at this address; None when it is nobody's here, or when there is no address."""
        if port is None:
            return None
        host = host.lower()
        if host in LOOPBACK:
            listeners = self._by_port.get(port, [])
            return listeners[0] if len(listeners) == 1 else None
        found = self._by_address.get((host, port))
        if found is None and "." in host:
            found = self._by_address.get((host.partition(".")[0], port))
        return found
