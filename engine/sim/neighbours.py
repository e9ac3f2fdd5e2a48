"""`SimulatedNeighbours`: what one server knows of those that hand messages over; twin of `hosting.neighbourhood`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Final, Protocol

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.neighbours import Neighbour
from engine.core.vocabulary.identifiers import InstanceName
from engine.sim.network import Network

OUTSIDER: Final = InstanceName("OUTSIDER")
"""A machine of another estate: its certificate is known here, and no host vouches for it."""


class Hosted(Protocol):
    """An instance of the world."""

    @property
    def catalog(self) -> InstanceCatalog:
        """As it is now."""
        ...


class SimulatedNeighbours:
    """Knows every instance of the world by its machine; of a machine without one only where it is."""

    def __init__(self, own: InstanceName, servers: Mapping[InstanceName, Hosted], network: Network) -> None:
        self._own = own
        self._servers = servers
        self._network = network
        self._known: dict[InstanceName, tuple[list[InstanceCatalog], Neighbour]] = {}
        """With the catalogs that were read for it."""

    def at(self, machine: InstanceName) -> Neighbour:
        """Who is at the other end of a connection with a machine; the same object as long as nothing has changed."""
        server = self._servers.get(machine)
        read = list(self._servers.values()) if machine == OUTSIDER else [] if server is None else [server]
        catalogs = [each.catalog for each in read]
        known = self._known.get(machine)
        if known is None or [*map(id, known[0])] != [*map(id, catalogs)]:
            described = self._outside(catalogs) if machine == OUTSIDER else self._described(machine, *catalogs)
            known = self._known[machine] = catalogs, described
        return known[1]

    def _described(self, machine: InstanceName, catalog: InstanceCatalog | None = None) -> Neighbour:
        endpoint = None if catalog is None else catalog.endpoint
        databases = {} if catalog is None else catalog.databases
        return Neighbour(
            instance=machine,
            is_vouched=True,
            is_self=machine == self._own,
            forwards=endpoint is not None and endpoint.is_message_forwarding_enabled,
            brokers=frozenset(each.broker_instance for each in databases.values()),
            is_at=lambda address: self._network.name_of(address, self._own) == machine,
        )

    def _outside(self, catalogs: Iterable[InstanceCatalog]) -> Neighbour:
        databases = chain.from_iterable(each.databases.values() for each in catalogs)
        return Neighbour(
            instance=OUTSIDER,
            principal=OUTSIDER,
            brokers_of_others=frozenset(each.broker_instance for each in databases),
            is_at_another=lambda address: self._network.name_of(address, self._own) in self._servers,
        )
