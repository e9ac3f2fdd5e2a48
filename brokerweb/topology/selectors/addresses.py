"""Which instance of an estate a network address leads to, by the rules of the engine."""

from __future__ import annotations

from collections.abc import Iterable

from brokerweb.topology.models import Instance
from engine import api as engine


class AddressBook:
    """The addresses of an estate's instances. Instances come with their endpoints loaded."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self._book = engine.HostBook(
            (instance.name, engine.host_names(engine.InstanceName(instance.name), instance.host_names), endpoint.port)
            for instance in instances
            if (endpoint := getattr(instance, "endpoint", None)) is not None
        )

    def instance_at(self, host: str, port: int | None, caller: str) -> str | None:
        """Name of the instance that `caller` reaches at an address; None for nobody's, or when there is no address."""
        found = self._book.at(engine.TcpAddress(host, port), caller) if port is not None else []
        return found[0] if found else None
