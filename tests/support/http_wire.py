"""Connections of the server without sockets: a channel on a clock of the test, and what a bound sees of one."""

from __future__ import annotations

from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransportWithDisconnection

from brokerweb.config.http.bodies import Bodies
from brokerweb.config.http.channel import BoundedChannel
from brokerweb.config.http.connections import Connections
from brokerweb.config.http.factory import BoundedFactory


class Stub:
    def __init__(self, address: str = "192.0.2.1") -> None:
        self.address = address
        self.is_open = True

    def give_up(self) -> None:
        self.is_open = False


def connections(most: int) -> Connections:
    return Connections(most, lambda address: address == "10.0.0.1")


class Server:
    """What Daphne's requests ask of their server."""

    def protocol_connected(self, protocol: object) -> None: ...

    def protocol_disconnected(self, protocol: object) -> None: ...


class Wire:
    """A channel on a clock of the test."""

    def __init__(self) -> None:
        self.clock = Clock()
        factory = BoundedFactory(Server())
        factory.reactor = self.clock
        self.channel: BoundedChannel = factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 4711))
        self.channel.server_bodies, self.channel.server_connections = Bodies(1 << 20), connections(10)
        self.transport = StringTransportWithDisconnection(peerAddress=IPv4Address("TCP", "192.0.2.1", 4711))
        self.transport.protocol = self.channel
        self.transport.abortConnection = self.transport.loseConnection  # type: ignore[method-assign]
        self.channel.makeConnection(self.transport)

    def pass_seconds(self, seconds: float, trickle: bytes = b"") -> None:
        """Time goes by, and a byte comes each second."""
        for _ in range(int(seconds)):
            self.clock.advance(1)
            if trickle and self.is_open:
                self.channel.dataReceived(trickle)
        self.clock.advance(seconds - int(seconds))

    @property
    def is_open(self) -> bool:
        return bool(self.transport.connected)
