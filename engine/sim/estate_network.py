"""`EstateNetwork`: the simulated network of given catalogs; addresses mean whom they mean everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.network import Host, Network, Socket
from engine.sim.server import Server


class EstateNetwork(Network):
    """Finds servers by the names and ports of their catalogs. Names and ports do not change in such a world."""

    def __init__(self, agenda: Agenda, dice: Dice, catalogs: Iterable[InstanceCatalog]) -> None:
        super().__init__(agenda, dice)
        self.servers: Mapping[InstanceName, Server] = {}
        self._book = HostBook(
            (each.name, host_names(each.name, each.host_names), None if each.endpoint is None else each.endpoint.port)
            for each in catalogs
        )

    def host_at(self, address: TcpAddress, caller: InstanceName) -> Host | None:
        """The server; where the machine is known and the port is nobody's, a machine that refuses."""
        found = self._book.at(address, caller)
        if found:
            return self.servers[found[0]]
        called = self._book.called(address, caller)
        return DeafHost(called[0]) if called else None


class DeafHost:
    """A machine that nobody listens on."""

    def __init__(self, name: InstanceName) -> None:
        self.name: Final = name

    @property
    def listens(self) -> bool:
        return False

    def accept(self, caller: InstanceName) -> Socket:
        raise AssertionError("whoever does not listen accepts nobody")
