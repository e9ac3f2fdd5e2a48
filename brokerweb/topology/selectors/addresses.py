"""Which instance of an estate a network address leads to.

The engine's directory of real ports goes by the same rules: first the host says who is called (one of an instance's
names exactly, or by the first label of a full name; loopback means whoever has the port, if one alone has it), then
the port must be the endpoint's.
"""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterable

from brokerweb.topology.models import Instance


class AddressBook:
    """The addresses of an estate's instances. Instances come with their endpoints loaded."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self._names_by_host: defaultdict[str, list[str]] = defaultdict(list)
        self._port_of: dict[str, int] = {}
        for instance in instances:
            endpoint = getattr(instance, "endpoint", None)
            if endpoint is None:
                continue
            self._port_of[instance.name] = endpoint.port
            # A named instance, SERVER\\NAME, answers to the name of its server.
            server = instance.name.split("\\")[0]
            for host in dict.fromkeys(name.lower() for name in (server, *instance.host_names)):
                self._names_by_host[host].append(instance.name)

    def instance_at(self, host: str, port: int | None) -> str | None:
        """Name of the instance at this address; None when it is nobody's here, or when there is no address."""
        if port is None:
            return None
        at_port = [name for name in self._called(host.lower().rstrip(".")) if self._port_of[name] == port]
        if _is_loopback(host) and len(at_port) > 1:
            return None
        return at_port[0] if at_port else None

    def _called(self, host: str) -> Iterable[str]:
        if host in self._names_by_host:
            return self._names_by_host[host]
        if _is_loopback(host):
            return self._port_of
        label = host if _is_number(host) else host.partition(".")[0]
        return self._names_by_host.get(label, ())


def _is_loopback(host: str) -> bool:
    return host.lower() == "localhost" or (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
