"""`BoundedWebSocket`: a websocket whose messages are bounded, and which is read no faster than they are taken.

To import this binds the websockets of a process to Twisted, as a server needs it and a client on asyncio cannot use it.
"""

from __future__ import annotations

from typing import Any

from daphne.ws_protocol import WebSocketProtocol

from brokerweb.config.http.bounds import MESSAGE_BYTES_MAX, MESSAGES_WAITING_MAX, READ_AGAIN_SECONDS


class BoundedWebSocket(WebSocketProtocol):
    """A message that is too long cuts the connection (code 1009) before it is held in memory.

    The bound is that of a stranger's request until its person is known.
    """

    _is_held = False

    def onMessage(self, payload: bytes, is_binary: bool) -> None:
        super().onMessage(payload, is_binary)
        if not self._is_held and self._is_behind():
            self._is_held = True
            self.transport.pauseProducing()
            self._look_again()

    def belongs_to_a_person(self) -> None:
        """Messages may be as long as a script."""
        self.maxFramePayloadSize = self.maxMessagePayloadSize = MESSAGE_BYTES_MAX

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
