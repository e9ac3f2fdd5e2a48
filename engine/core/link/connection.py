"""`AdjacentBrokerConnection`: one connection between two adjacent instances, without its socket.

Its shell gives it bytes and the time, asks for bytes and for the next time it wants to be woken, and does nothing
else. Both sides run this class; they differ in their `LinkRole`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

import msgspec

from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import Fragments, Frame, Goodbye, Hello, Refuse, RoleClaim, RoleRequest, Welcome
from engine.core.link.handshake import LinkIdentity
from engine.core.link.states import LinkInput, LinkRole, step
from engine.core.vocabulary.errors import RemoteProtocolError, text_of
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.limits import FRAME_BYTES_FULL, FRAME_MESSAGES_FULL
from engine.core.vocabulary.messages import ForwardedMessage, LinkState, TcpAddress
from engine.core.vocabulary.moment import Duration, Instant, Now
from engine.core.vocabulary.settings import LinkSettings

CONNECT_FAILED: Final = 9754
LOST_WHILE_RECEIVING: Final = 9755
BREACH_BY_PEER: Final = 9757
IDLE: Final = 9760
HANDSHAKE_TIMED_OUT: Final = 28031

_HEADER_BYTES_ESTIMATED: Final = 512
"""What a message adds to its body on the wire; only for filling frames evenly."""


class LinkClosure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a connection is closed. `number` is None when nothing is wrong: it was idle, or we hung up."""

    number: int | None = None
    detail: str = ""


class AdjacentBrokerConnection:
    """One connection, from NEW to CLOSED; never opened again.

    Finishes when `state` is CLOSED, then `closure` says why. Fails with `RemoteProtocolError` out of `receive_data`
    when the peer breaks the protocol; it is closed then and `data_to_send` holds the goodbye. Not responsible for
    keeping messages: what a closing connection has not sent is lost, and dialogs send again.
    """

    def __init__(
        self,
        role: LinkRole,
        identity: LinkIdentity,
        settings: LinkSettings,
        now: Now,
        address: TcpAddress | None = None,
    ) -> None:
        self.role: Final = role
        self.state = LinkState.NEW
        self.peer: InstanceName | None = None
        self.closure: LinkClosure | None = None
        self._identity = identity
        self._settings = settings
        self._address = str(address) if address is not None else "the peer"
        self._reader = FrameReader()
        self._output: list[bytes] = []
        self._roles: list[RoleRequest | RoleClaim] = []
        self._deadline: Instant | None = None
        if role is LinkRole.DIALLING:
            self._step(LinkInput.BEGIN)
            self._wait(settings.connect_seconds, now)

    def opened(self, now: Now) -> None:
        """The TCP connection is open; the dialling side introduces itself."""
        self._step(LinkInput.OPENED)
        self._wait(self._settings.handshake_seconds, now)
        if self.role is LinkRole.DIALLING:
            self._say(self._identity.hello())

    def receive_data(self, data: bytes, now: Now) -> list[ForwardedMessage]:
        """Messages that `data` completes. Bytes after the end are nobody's mistake and are dropped."""
        messages: list[ForwardedMessage] = []
        if self.state is LinkState.CLOSED:
            return messages
        try:
            for frame in self._reader.feed(data):
                messages += self._receive(frame, now)
        except RemoteProtocolError as error:
            self._breach(error)
            raise
        return messages

    def _receive(self, frame: Frame, now: Now) -> tuple[ForwardedMessage, ...]:
        if self.state is LinkState.CLOSED:
            return ()
        match frame:
            case Fragments():
                self._step(LinkInput.RECEIVE_FRAGMENTS)
                self._stay(now)
                return frame.messages
            case RoleRequest():
                self._step(LinkInput.RECEIVE_ROLE_REQUEST)
                self._stay(now)
                self._roles.append(frame)
            case RoleClaim():
                self._step(LinkInput.RECEIVE_ROLE_CLAIM)
                self._stay(now)
                self._roles.append(frame)
            case Hello():
                self._receive_hello(frame, now)
            case Welcome():
                self._step(LinkInput.RECEIVE_WELCOME)
                self.peer = frame.instance
                self._stay(now)
            case Refuse():
                self._step(LinkInput.RECEIVE_REFUSE)
                self._end(LOST_WHILE_RECEIVING, f"{frame.number}: {frame.text}")
            case Goodbye():
                self._step(LinkInput.RECEIVE_GOODBYE)
                self._end(None if frame.number == IDLE else LOST_WHILE_RECEIVING, f"{frame.number}: {frame.text}")
            case _:
                assert_never(frame)
        return ()

    def _receive_hello(self, hello: Hello, now: Now) -> None:
        state_after = step(self.role, self.state, LinkInput.RECEIVE_HELLO)
        answer = self._identity.answer(hello)
        self._say(answer)
        if isinstance(answer, Refuse):
            self._step(LinkInput.CLOSE)
            self._end(answer.number, answer.text)
            return
        self.state = state_after
        self.peer = hello.instance
        self._stay(now)

    def send(self, messages: Iterable[ForwardedMessage], now: Now) -> None:
        """Put messages on the way, many to a frame. `LocalProtocolError` unless logged in."""
        self._step(LinkInput.SEND_FRAGMENTS)
        self._stay(now)
        for batch in _filled(messages):
            self._say(Fragments(messages=batch))

    def ask_role(self, broker_instance: BrokerInstanceId, now: Now) -> None:
        """Ask whether the peer is the principal of a database. `LocalProtocolError` unless dialled and logged in."""
        self._step(LinkInput.SEND_ROLE_REQUEST)
        self._stay(now)
        self._say(RoleRequest(broker_instance=broker_instance))

    def claim_role(self, broker_instance: BrokerInstanceId, now: Now, *, is_principal: bool) -> None:
        """Tell whether we are the principal. `LocalProtocolError` unless accepted and logged in."""
        self._step(LinkInput.SEND_ROLE_CLAIM)
        self._stay(now)
        self._say(RoleClaim(broker_instance=broker_instance, is_principal=is_principal))

    def roles_heard(self) -> list[RoleRequest | RoleClaim]:
        """Questions and claims that have arrived; each is handed out once."""
        heard, self._roles = self._roles, []
        return heard

    def data_to_send(self) -> bytes:
        """Bytes for the socket; each is handed out once."""
        data = b"".join(self._output)
        self._output.clear()
        return data

    def close(self, number: int, now: Now, **parameters: str | int) -> None:
        """End it on purpose; the peer is told the numbered reason if it listens. Harmless when closed."""
        if self.state in (LinkState.CONNECTED, LinkState.LOGGED_IN):
            self._say(Goodbye(number=number, text=text_of(number, **parameters)))
        self._step(LinkInput.CLOSE)
        self._end(None, "")

    def lost(self, number: int, detail: str) -> None:
        """The operating system ended it; `number` says at what. Harmless when closed."""
        self._step(LinkInput.LOST)
        self._end(number, detail)

    def handle_timer(self, now: Now) -> None:
        """Close what has waited too long; harmless when nothing is due."""
        if self._deadline is None or now.monotonic < self._deadline:
            return
        waited_in = self.state
        if waited_in is LinkState.LOGGED_IN:
            text = text_of(IDLE, address=self._address, value=round(self._idle_seconds))
            self._say(Goodbye(number=IDLE, text=text))
        self._step(LinkInput.WAITED_TOO_LONG)
        if waited_in is LinkState.CONNECTING:
            self._end(CONNECT_FAILED, f"no answer within {self._settings.connect_seconds:g} seconds")
        elif waited_in is LinkState.CONNECTED:
            detail = f"no answer within {self._settings.handshake_seconds:g} seconds"
            self._end(LOST_WHILE_RECEIVING, f"{HANDSHAKE_TIMED_OUT}: {text_of(HANDSHAKE_TIMED_OUT, detail=detail)}")
        else:
            self._end(None, f"{IDLE}: {text}")

    def wake_at(self) -> Instant | None:
        """When to call `handle_timer`; None for never."""
        return self._deadline

    @property
    def _idle_seconds(self) -> Duration:
        """The accepting side waits longer: the side that knows what it will send next closes first."""
        factor = 1 if self.role is LinkRole.DIALLING else 2
        return Duration(self._settings.idle_seconds * factor)

    def _breach(self, error: RemoteProtocolError) -> None:
        if self.state in (LinkState.CONNECTED, LinkState.LOGGED_IN):
            self._say(Goodbye(number=error.number, text=error.text))
        self._step(LinkInput.CLOSE)
        self._end(BREACH_BY_PEER, str(error))

    def _step(self, happened: LinkInput) -> None:
        self.state = step(self.role, self.state, happened)

    def _say(self, frame: Frame) -> None:
        self._output.append(encode(frame))

    def _stay(self, now: Now) -> None:
        self._wait(self._idle_seconds, now)

    def _wait(self, seconds: Duration, now: Now) -> None:
        self._deadline = Instant(now.monotonic + seconds)

    def _end(self, number: int | None, detail: str) -> None:
        """Keep the first reason: what follows is its consequence."""
        self._deadline = None
        if self.closure is None:
            self.closure = LinkClosure(number=number, detail=detail)


def _filled(messages: Iterable[ForwardedMessage]) -> Iterator[tuple[ForwardedMessage, ...]]:
    """Messages by frames: full enough to be cheap, small enough that a large body delays nobody for long."""
    batch: list[ForwardedMessage] = []
    size = 0
    for message in messages:
        wire_bytes = _HEADER_BYTES_ESTIMATED + len(message.message.body or b"")
        if batch and (size + wire_bytes > FRAME_BYTES_FULL or len(batch) >= FRAME_MESSAGES_FULL):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(message)
        size += wire_bytes
    if batch:
        yield tuple(batch)
