"""`BoundedRequest`: a request whose body is bounded before it is read, and kept in memory once."""

from __future__ import annotations

import logging
from io import BytesIO
from typing import Any, Final

from daphne.http_protocol import WebRequest
from django.conf import settings
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from brokerweb.accounts.selectors import is_person
from brokerweb.common.database import borrowed_connections
from brokerweb.common.request_body import handed_over
from brokerweb.config.http.bounds import STRANGER_BODY_BYTES_MAX, body_bytes_max
from brokerweb.config.http.refusals import BUSY, TOO_LARGE, busy, too_large_for

logger = logging.getLogger(__name__)
BEARER: Final = b"bearer "


class BoundedRequest(WebRequest):
    """A stranger may send 64 KiB. For more, session or token are looked up before another byte is read.

    Its channel is a `BoundedChannel`.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        # Twisted would parse forms as well, with everything in memory a second time.
        self._parsePOSTFormSubmission = False
        self._bound = STRANGER_BODY_BYTES_MAX
        self._received = 0
        self._looks_up = False
        self._is_refused = False
        self._complete: tuple[bytes, bytes, bytes] | None = None
        """What came to the end of the request while it was being looked up who sends it."""

    # ── what the channel calls ───────────────────────────────────────────────────────────────────────────────────
    def gotLength(self, length: int | None) -> None:
        """The headers are complete; None is a body whose length is not announced."""
        self.content = BytesIO()
        if length is not None and length > self._bound:
            self._widen(length)

    def handleContentChunk(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._received += len(data)
        if not self.channel.server_bodies.take(self, len(data)):
            self._refuse(BUSY)
            return
        self.content.write(data)
        if self._received > self._bound and not self._looks_up:
            self._widen(self._received)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        if self._is_refused:
            return
        if self._looks_up:
            self._complete = (command, path, version)
            return
        super().requestReceived(command, path, version)

    def process(self) -> None:
        if self.is_upgrade:
            channel, transport = self.channel, self.channel.transport
            channel.server_bodies.release(self)
            super().process()
            socket = getattr(transport, "wrappedProtocol", None) or transport.protocol
            if socket is not channel:
                channel.became(socket)
                session_key, _ = self._credentials()
                deferToThread(_is_person, session_key, None).addBoth(self._looked_up_for_websocket)
            return
        body, self.content = self.content, BytesIO()
        with handed_over(body):
            super().process()

    def connectionLost(self, reason: Failure) -> None:
        self.channel.server_bodies.release(self)
        super().connectionLost(reason)

    def finish(self) -> None:
        self.channel.server_bodies.release(self)
        super().finish()

    # ── ours ─────────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_upgrade(self) -> bool:
        """Whether it asks for a websocket."""
        [upgrade] = self.requestHeaders.getRawHeaders(b"Upgrade", [b""])[:1]
        return bool(upgrade.lower() == b"websocket")

    def _widen(self, length: int) -> None:
        """Find out whether the sender may send `length`, and refuse what may not be."""
        session_key, token = self._credentials()
        if (session_key is None and token is None) or self.is_upgrade:
            self._refuse(TOO_LARGE, is_stranger=True)
        elif length > body_bytes_max(self.channel.address_asked):
            self._refuse(TOO_LARGE)
        elif self._bound == STRANGER_BODY_BYTES_MAX:
            self._looks_up = True
            self.channel.hold()
            deferToThread(_is_person, session_key, token).addBoth(self._looked_up)

    def _looked_up(self, answer: bool | Failure) -> None:
        self._looks_up = False
        if self._disconnected or self._is_refused:
            return
        if isinstance(answer, Failure):
            logger.error("Session or token of a request could not be looked up: %s", answer.getErrorMessage())
            self._refuse(BUSY)
            return
        if not answer:
            self._refuse(TOO_LARGE, is_stranger=True)
            return
        self._bound = body_bytes_max(self.channel.address_asked)
        if self._received > self._bound:
            self._refuse(TOO_LARGE)
            return
        self.channel.go_on()
        if self._complete is not None:
            super().requestReceived(*self._complete)

    def _looked_up_for_websocket(self, answer: bool | Failure) -> None:
        if isinstance(answer, Failure):
            logger.error("Session of a websocket could not be looked up: %s", answer.getErrorMessage())
        elif answer:
            self.channel.belongs_to_a_person()

    def _credentials(self) -> tuple[str | None, str | None]:
        """The key of a session, and a token; each only as the client says."""
        session = self.received_cookies.get(settings.SESSION_COOKIE_NAME.encode())
        [authorization] = self.requestHeaders.getRawHeaders(b"Authorization", [b""])[:1]
        is_token = authorization[: len(BEARER)].lower() == BEARER
        return (
            None if session is None else session.decode("latin1"),
            authorization[len(BEARER) :].decode("latin1").strip() if is_token else None,
        )

    def _refuse(self, reason: str, *, is_stranger: bool = False) -> None:
        self._is_refused = True
        self.content = BytesIO()
        self.channel.server_bodies.release(self)
        [language] = self.requestHeaders.getRawHeaders(b"Accept-Language", [b""])[:1]
        address = self.channel.address_asked
        self.channel.refuse(
            reason,
            lambda: busy() if reason == BUSY else too_large_for(address, is_stranger=is_stranger),
            language,
        )


def _is_person(session_key: str | None, token: str | None) -> bool:
    with borrowed_connections():
        return is_person(session_key, token)
