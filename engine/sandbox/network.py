"""`SandboxNetwork`: the simulated network of an estate in which endpoints, ports and host names may change."""

from __future__ import annotations

from typing import Final

from engine.core.catalog.hosts import HostBook, host_names
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.sandbox.server import SandboxServer
from engine.sim.clock import Agenda
from engine.sim.entropy import Dice
from engine.sim.estate_network import DeafHost
from engine.sim.network import Host, Network


class SandboxNetwork(Network):
    """Finds servers by the names and ports that their catalogs have now."""

    def __init__(self, agenda: Agenda, dice: Dice) -> None:
        super().__init__(agenda, dice)
        self.servers: dict[InstanceName, SandboxServer] = {}
        self._book: HostBook[InstanceName] = HostBook(())
        self._read: Final[dict[InstanceName, InstanceCatalog]] = {}
        """The catalogs of which the book was made; a changed catalog is another object."""

    def host_at(self, address: TcpAddress, caller: InstanceName) -> Host | None:
        """The server; where the machine is known and the port is nobody's, a machine that refuses."""
        book = self._present_book()
        if found := book.at(address, caller):
            return self.servers[found[0]]
        called = book.called(address, caller)
        return DeafHost(called[0]) if called else None

    def _present_book(self) -> HostBook[InstanceName]:
        catalogs = {name: server.instance.catalog for name, server in self.servers.items()}
        if any(self._read.get(name) is not catalog for name, catalog in catalogs.items()):
            self._read.update(catalogs)
            self._book = HostBook(
                (name, host_names(name, each.host_names), None if each.endpoint is None else each.endpoint.port)
                for name, each in catalogs.items()
            )
        return self._book
