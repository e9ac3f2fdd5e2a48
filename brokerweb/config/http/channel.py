"""`BoundedChannel`: a connection that is counted, given up when it is slow, and closed politely when it is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from django.utils import translation
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel

from brokerweb.common.errors import WebProblem
from brokerweb.config.http.bodies import Bodies
from brokerweb.config.http.bounds import (
    BODY_BYTES_A_SECOND_MIN,
    BODY_SECONDS_MAX,
    HEADER_SECONDS_MAX,
    LINGER_BYTES_MAX,
    LINGER_SECONDS_MAX,
    READ_BYTES_A_SECOND_MIN,
    READ_SECONDS_MAX,
)
from brokerweb.config.http.refusals import BUSY, GIVEN_UP, SLOW, busy, language_of, written
from brokerweb.config.http.request import BoundedRequest
from brokerweb.config.metrics.requests import REFUSED

if TYPE_CHECKING:
    from brokerweb.config.http.connections import Connections, Unread
    from brokerweb.config.http.websocket import BoundedWebSocket


class BoundedChannel(HTTPChannel):
    """A connection of a browser or a script, until it is closed or has become a websocket."""

    requestFactory = BoundedRequest
    server_bodies: Bodies
    server_connections: Connections
    server_unread: Unread
    address = ""
    """Of the client's machine; empty where it has none."""
    address_asked = b""
    """What the request that is read names, with its query."""

    def __init__(self) -> None:
        super().__init__()
        self._deadline: IDelayedCall | None = None
        self._began_at = 0.0
        """When headers or a body began, on the clock of the server."""
        self._body_bytes: int | None = None
        """How many have arrived of the body that is read; None outside of one."""
        self._is_reading = False
        self._dropped: int | None = None
        """Bytes that were dropped since it was refused; None while it is not."""
        self._socket: BoundedWebSocket | None = None
        self._unread = 0
        """Bytes that were answered since the client has stopped reading."""
        self._answered: BoundedRequest | None = None
        """What is answered whole, while the answer is not read."""

    # ── what Twisted calls ───────────────────────────────────────────────────────────────────────────────────────
    def connectionMade(self) -> None:
        super().connectionMade()
        self.address = getattr(self.transport.getPeer(), "host", "")
        self._give_up_in(HEADER_SECONDS_MAX)
        if not self.server_connections.admit(self):
            self.refuse(BUSY, busy)
            # It is not counted, so it may not stay for a moment.
            self.transport.loseConnection()

    def dataReceived(self, data: bytes) -> None:
        if self._dropped is not None:
            self._drop(data)
            return
        if not self._is_reading and not self._handlingRequest:
            self._is_reading = True
            self._give_up_in(HEADER_SECONDS_MAX)
        if self._body_bytes is not None:
            self._body_bytes += len(data)
        super().dataReceived(data)

    def allHeadersReceived(self) -> None:
        self._body_bytes = 0
        self.address_asked = bytes(self._path)
        self._give_up_in(BODY_SECONDS_MAX)
        super().allHeadersReceived()

    def _send100Continue(self) -> None:
        if self._dropped is None:
            super()._send100Continue()

    def allContentReceived(self) -> None:
        if self._dropped is not None:
            return
        self._is_reading, self._body_bytes = False, None
        self._give_up_in(None)
        self.server_connections.is_busy(self)
        super().allContentReceived()

    def write(self, data: bytes) -> None:
        super().write(data)
        self._count_unread(len(data))

    def writeSequence(self, iovec: Iterable[bytes]) -> None:
        pieces = list(iovec)
        super().writeSequence(pieces)
        self._count_unread(sum(map(len, pieces)))

    def pauseProducing(self) -> None:
        super().pauseProducing()
        if self._socket is not None:
            self._socket.reads(keeps_up=False)
        else:
            self._give_up_in(READ_SECONDS_MAX)

    def resumeProducing(self) -> None:
        super().resumeProducing()
        self._unread = 0
        self.server_unread.is_read(self)
        if self._socket is not None:
            self._socket.reads(keeps_up=True)
            return
        self._give_up_in(None)
        request, self._answered = self._answered, None
        if request is not None:
            super().requestDone(request)

    def requestDone(self, request: BoundedRequest) -> None:
        self.server_connections.waits(self)
        if self._waitingForTransport and self.persistent:
            # The next request may be here already; its answer would be kept beside this one.
            self._answered = request
            return
        super().requestDone(request)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._give_up_in(None)
        self.server_unread.is_read(self)
        if self._answered is not None:
            # It has ended already, and has let go of this channel.
            self.requests.remove(self._answered)
        self.server_connections.gone(self)
        super().connectionLost(reason)

    # ── what requests and bounds call ────────────────────────────────────────────────────────────────────────────
    def hold(self) -> None:
        """Read no more of the body for now."""
        self._networkProducer.pauseProducing()

    def go_on(self) -> None:
        """Read on, unless the client has not taken what was sent to it."""
        if not self._waitingForTransport:
            self._networkProducer.resumeProducing()

    def became(self, socket: BoundedWebSocket) -> None:
        """Another protocol has taken over the transport: a websocket, which is counted until it is closed.

        It waits until its person is known (`belongs_to_a_person`): strangers' websockets keep no other client out.
        """
        self._socket = socket
        socket.bodies = self.server_bodies
        socket.leaves_unread = partial(self.server_unread.add, self)
        # Also one of a person waits again when it is closed: who does not answer the close keeps no other client out.
        socket.closes = partial(self.server_connections.waits, self)
        socket.closes()
        lost = socket.connectionLost

        def gone(reason: Failure = connectionDone) -> None:
            self.server_bodies.release(socket)
            self.server_unread.is_read(self)
            self.server_connections.gone(self)
            lost(reason)

        socket.connectionLost = gone

    def belongs_to_a_person(self) -> None:
        """Its websocket has the session of an account: it is not given up for a new connection, and may say more."""
        self.server_connections.is_busy(self)
        if self._socket is not None:
            self._socket.belongs_to_a_person()

    def give_up(self) -> None:
        """Close it for a new connection."""
        REFUSED.labels(GIVEN_UP).inc()
        self.transport.abortConnection()

    def refuse(self, reason: str, problem: Callable[[], WebProblem], language: bytes = b"") -> None:
        """Answer with a problem and close, once the client has taken it or has had the time to.

        What still comes is read and dropped for a moment: to close at once would throw away the answer as well.
        """
        REFUSED.labels(reason).inc()
        self._dropped = 0
        self.setTimeout(None)
        with translation.override(language_of(language)):
            self.transport.write(written(problem()))
        self._networkProducer.resumeProducing()
        if hasattr(self.transport, "loseWriteConnection"):
            self.transport.loseWriteConnection()
        self._arm(LINGER_SECONDS_MAX, self.transport.abortConnection)

    def _count_unread(self, count: int) -> None:
        if self._waitingForTransport:
            self._unread += count
            self.server_unread.add(self, count)

    def _drop(self, data: bytes) -> None:
        assert self._dropped is not None
        self._dropped += len(data)
        if self._dropped > LINGER_BYTES_MAX:
            self.transport.abortConnection()

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def _give_up_in(self, seconds: float | None) -> None:
        if self._dropped is None:
            self._began_at = self.factory.reactor.seconds()
            self._arm(seconds, self._too_slow)

    def _arm(self, seconds: float | None, then: Callable[[], object]) -> None:
        if self._deadline is not None and self._deadline.active():
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.callLater(seconds, then)

    def _too_slow(self) -> None:
        """A body has the more time the more of it has arrived, an answer the more of it there is to read."""
        seconds = 0.0
        if self._waitingForTransport:
            seconds = READ_SECONDS_MAX + self._unread / READ_BYTES_A_SECOND_MIN
        elif self._body_bytes is not None:
            seconds = BODY_SECONDS_MAX + self._body_bytes / BODY_BYTES_A_SECOND_MIN
        left = self._began_at + seconds - self.factory.reactor.seconds()
        if seconds and left > 0:
            self._arm(left, self._too_slow)
            return
        REFUSED.labels(SLOW).inc()
        self.transport.abortConnection()
