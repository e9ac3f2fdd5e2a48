"""Which instance of an estate a network address leads to, by the rules of the engine."""

from __future__ import annotations

from collections.abc import Iterable

from brokerweb.topology.models import Instance
from engine import api as engine


class AddressBook:
    """The addresses of an estate's instances: name, further host names, and the port of each that has an endpoint."""

    def __init__(self, entries: Iterable[tuple[str, Iterable[str], int]]) -> None:
        self._book = engine.HostBook(
            (name, engine.host_names(engine.InstanceName(name), further), port) for name, further, port in entries
        )

    @classmethod
    def of_catalogs(cls, catalogs: Iterable[engine.InstanceCatalog]) -> AddressBook:
        """The addresses that catalogs define."""
        return cls(
            (catalog.name, catalog.host_names, catalog.endpoint.port)
            for catalog in catalogs
            if catalog.endpoint is not None
        )

    @classmethod
    def of_rows(cls, instances: Iterable[Instance]) -> AddressBook:
        """The same of rows, which come with their endpoints loaded."""
        return cls(
            (instance.name, instance.host_names, endpoint.port)
            for instance in instances
            if (endpoint := getattr(instance, "endpoint", None)) is not None
        )

    def instance_at(self, address: object, caller: str) -> str | None:
        """Name of the instance that `caller` reaches at an address; None for nobody's, or when it is no TCP address."""
        if not isinstance(address, engine.NetworkAddress):
            return None
        found = self._book.at(address.tcp, caller)
        return found[0] if found else None
