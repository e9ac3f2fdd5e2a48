"""`BoundedWebSocket`: bounds of what a client sends over a websocket, how often, and of what it leaves unread.

To import this binds the websockets of a process to Twisted, as a server needs it and a client on asyncio cannot use it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autobahn.websocket.types import ConnectionDeny
from daphne.ws_protocol import WebSocketProtocol

from brokerweb.config.http.bodies import Bodies
from brokerweb.config.http.bounds import (
    BURST_SECONDS,
    FRAGMENTS_MAX,
    FRAMES_A_SECOND_MAX,
    MESSAGE_BYTES_MAX,
    MESSAGES_WAITING_MAX,
    READ_AGAIN_SECONDS,
    STRANGER_BODY_BYTES_MAX,
    STRANGER_FRAMES_A_SECOND_MAX,
    UNREAD_BYTES_MAX,
)
from brokerweb.config.http.refusals import BUSY, FLOOD, SLOW, TOO_LARGE
from brokerweb.config.metrics.requests import REFUSED


class BoundedWebSocket(WebSocketProtocol):
    """Whatever is beyond a bound cuts the connection, before it is held in memory.

    Until its person is known, and from its close on, a message has the bound of a stranger's request.
    """

    bodies: Bodies
    """Counts what has come of messages that are not complete."""
    leaves_unread: Callable[[int], None]
    """Counts what is sent while the client reads too slowly."""
    closes: Callable[[], None]
    """Called when the server has sent a close frame."""
    _bytes_max = STRANGER_BODY_BYTES_MAX
    _frames_a_second = STRANGER_FRAMES_A_SECOND_MAX
    _frames_left = STRANGER_FRAMES_A_SECOND_MAX * BURST_SECONDS
    _counted_at: float | None = None
    _fragments = 0
    _unread: int | None = None
    """Bytes that were sent while the client reads too slowly; None while it keeps up."""
    _is_held = False

    def belongs_to_a_person(self) -> None:
        """Messages may be as long as a script, and as many as a page acknowledges."""
        self._bytes_max = MESSAGE_BYTES_MAX
        self._frames_a_second = FRAMES_A_SECOND_MAX
        self._frames_left = FRAMES_A_SECOND_MAX * BURST_SECONDS

    def reads(self, *, keeps_up: bool) -> None:
        """Whether the client takes what it is sent; else only so much more is sent."""
        self._unread = None if keeps_up else 0

    # ── what autobahn calls ──────────────────────────────────────────────────────────────────────────────────────
    def onConnect(self, request: Any) -> Any:
        # The name of a subprotocol is a token (RFC 6455 §4.1). Daphne would answer 500 and log a traceback.
        if not all(each.isascii() for each in (*request.headers, *request.protocols)):
            raise ConnectionDeny(ConnectionDeny.BAD_REQUEST, "A header has a character that none may have")
        return super().onConnect(request)

    def onClose(self, *arguments: Any) -> None:
        # Of a connection that was refused at once Daphne knows nothing.
        if hasattr(self, "server"):
            super().onClose(*arguments)

    def onFrameBegin(self) -> None:
        super().onFrameBegin()
        now = self.factory.reactor.seconds()
        since = 0.0 if self._counted_at is None else now - self._counted_at
        self._counted_at = now
        rate = self._frames_a_second
        self._frames_left = min(rate * BURST_SECONDS, self._frames_left + since * rate) - 1
        # Control frames (8 and above) may stand between the fragments of a message.
        if self.current_frame.opcode == 0:
            self._fragments += 1
        elif self.current_frame.opcode < 8:
            self._fragments = 0
        if self._frames_left < 0 or self._fragments > FRAGMENTS_MAX:
            self._cut(FLOOD)

    def onMessageFrameBegin(self, length: int) -> None:
        super().onMessageFrameBegin(length)
        # Not an option of autobahn, which would bound what the server says as well.
        if self.message_data_total_length > self._bytes_max:
            self._cut(TOO_LARGE)

    def onMessageFrameData(self, payload: bytes) -> None:
        super().onMessageFrameData(payload)
        if not self.bodies.take(self, len(payload)):
            self._cut(BUSY)

    def onMessageEnd(self) -> None:
        self.bodies.release(self)
        super().onMessageEnd()

    def onMessage(self, payload: bytes, is_binary: bool) -> None:
        super().onMessage(payload, is_binary)
        if not self._is_held and self._is_behind():
            self._is_held = True
            self.transport.pauseProducing()
            self._look_again()

    def sendMessage(self, *arguments: Any, **options: Any) -> None:
        # What is sent may be acknowledged: a script of many results has a frame for each.
        self._frames_left += 1
        super().sendMessage(*arguments, **options)

    def sendData(self, data: bytes, *more: Any, **options: Any) -> None:
        if self._unread is not None:
            self._unread += len(data)
            if self._unread > UNREAD_BYTES_MAX:
                self._cut(SLOW)
                return
            self.leaves_unread(len(data))
        super().sendData(data, *more, **options)

    def sendCloseFrame(self, *arguments: Any, **options: Any) -> None:
        super().sendCloseFrame(*arguments, **options)
        self._bytes_max = STRANGER_BODY_BYTES_MAX
        self.closes()

    # ── ours ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def _cut(self, reason: str) -> None:
        if self.state == self.STATE_CLOSED:
            return
        REFUSED.labels(reason).inc()
        # The counter has it: a line of the log for each would be a flood of its own.
        self.wasClean = True
        self.dropConnection(abort=True)

    def _is_behind(self) -> bool:
        queue: Any = getattr(self, "application_queue", None)
        return queue is not None and queue.qsize() >= MESSAGES_WAITING_MAX

    def _look_again(self) -> None:
        if not self.transport.connected:
            return
        if self._is_behind():
            self.factory.reactor.callLater(READ_AGAIN_SECONDS, self._look_again)
            return
        self._is_held = False
        self.transport.resumeProducing()
