"""`BoundedFactory`: what Daphne listens with, so that each of its connections and requests has its bounds."""

from __future__ import annotations

from typing import Any

from daphne.http_protocol import HTTPFactory
from twisted.internet.interfaces import IAddress

from brokerweb.common.client_address import is_trusted_proxy
from brokerweb.config.http.bodies import Bodies
from brokerweb.config.http.bounds import CLOSE_SECONDS_MAX, UNREAD_BYTES_ALL_MAX, bodies_bytes_max
from brokerweb.config.http.channel import BoundedChannel
from brokerweb.config.http.connections import Connections, Unread
from brokerweb.config.process.descriptors import http_connections_max


class BoundedFactory(HTTPFactory):
    """Connections of one server. HTTP/1.1 only: HTTP/2 ends at the proxy."""

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self._bodies = Bodies(bodies_bytes_max())
        self._unread = Unread(UNREAD_BYTES_ALL_MAX)
        self._connections = Connections(
            http_connections_max(), lambda address: not address or is_trusted_proxy(address)
        )

    def startFactory(self) -> None:
        """Begin to listen: Daphne has made its factory for websockets by then, which bounds nothing."""
        super().startFactory()
        # Only here is it sure that this process is a server: the import is for good.
        from brokerweb.config.http.websocket import BoundedWebSocket

        websockets = self.server.ws_factory
        websockets.protocol = BoundedWebSocket
        # The sizes are bounds of what is sent as well; what is received has bounds of its own.
        websockets.setProtocolOptions(
            closeHandshakeTimeout=CLOSE_SECONDS_MAX, maxFramePayloadSize=0, maxMessagePayloadSize=0
        )

    def buildProtocol(self, addr: IAddress) -> BoundedChannel:
        channel = BoundedChannel()
        channel.factory = self
        channel.callLater = self.reactor.callLater
        channel.timeOut = self.timeOut
        channel.server_bodies, channel.server_connections = self._bodies, self._connections
        channel.server_unread = self._unread
        return channel

    def acceptableProtocols(self) -> list[bytes]:
        return [b"http/1.1"]
