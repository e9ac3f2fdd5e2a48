"""`LinkShell`: a TCP connection around an `AdjacentBrokerConnection`. It moves bytes and keeps time, nothing else."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable, Sequence
from typing import Final

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.endings import LOST_WHILE_RECEIVING, LOST_WHILE_SENDING
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.vocabulary.errors import RemoteProtocolError, text_of
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.limits import (
    LINK_BUFFER_BYTES_MAX,
    LINK_LINGER_SECONDS,
    LINK_SOCKET_BYTES,
    LINK_UNACKNOWLEDGED_SECONDS,
    LINK_UNSENT_BYTES_FULL,
)
from engine.core.vocabulary.messages import ForwardedMessage, LinkState
from engine.core.vocabulary.moment import Instant
from engine.runtime.ports import Clock

HANDSHAKE_CUT_SHORT: Final = 28028
ENDPOINT_STOPPED: Final = 9666
"""Said to neighbours when we stop: trying again at once would be in vain."""

logger = logging.getLogger(__name__)

OnMessages = Callable[["LinkShell", Sequence[ForwardedMessage]], None]
"""Takes messages that arrived together over one connection, in their order."""

OnRole = Callable[["LinkShell", RoleRequest | RoleClaim], None]
"""Takes a question or a claim about a principal, with the connection that it came by."""


class LinkShell(asyncio.Protocol):
    """One TCP connection. Tells `on_change` of every new state, and of CLOSED exactly once.

    `leads_to` is the real place where the neighbour listens; of one that has called us, as it says itself
    (`Switchboard.place_of`).
    """

    def __init__(
        self,
        connection: AdjacentBrokerConnection,
        clock: Clock,
        on_messages: OnMessages,
        on_role: OnRole,
        on_change: Callable[[LinkShell], None],
    ) -> None:
        self.connection: Final = connection
        self.leads_to: tuple[str, int] | None = None
        self.dropped = 0
        """Messages that were handed over and did not go."""
        self._clock = clock
        self._on_messages = on_messages
        self._on_role = on_role
        self._on_change = on_change
        self._told = connection.state
        self._is_held = False
        self._waiters: list[tuple[int, Callable[[], None]]] = []
        """Who wants to hear when so few bytes are unsent."""
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = Instant(0.0)
        self._settle()

    # ── the operating system's side ──────────────────────────────────────────────────────────────────────────────
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The TCP connection is open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self.connection.state is LinkState.CLOSED:
            transport.abort()
            return
        # Half of what is handed over at once: whenever something waits, the transport tells when to go on.
        transport.set_write_buffer_limits(high=LINK_UNSENT_BYTES_FULL // 2)
        _prepare(transport.get_extra_info("socket"))
        self.connection.opened(self._clock.now())
        self._settle()

    def resume_writing(self) -> None:
        """The network has taken most of what it was given."""
        self.connection.sent(self._clock.now())
        self._settle()

    def data_received(self, data: bytes) -> None:
        """Bytes of the peer."""
        try:
            messages = self.connection.receive_data(data, self._clock.now())
        except RemoteProtocolError:
            # The connection has closed itself with the reason and has the goodbye ready.
            messages = []
        if messages:
            self._on_messages(self, messages)
        for heard in self.connection.roles_heard():
            self._on_role(self, heard)
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        """The TCP connection is gone, on purpose or not."""
        if exc is None:
            in_handshake = self.connection.state is LinkState.CONNECTED
            said = f"{HANDSHAKE_CUT_SHORT}: {text_of(HANDSHAKE_CUT_SHORT)}" if in_handshake else "the peer closed it"
            self.connection.lost(LOST_WHILE_RECEIVING, said)
        else:
            was_sending = isinstance(exc, OSError) and exc.errno == errno.EPIPE
            self.connection.lost(LOST_WHILE_SENDING if was_sending else LOST_WHILE_RECEIVING, words(exc))
        self._settle()

    # ── our side ─────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_logged_in(self) -> bool:
        """Whether messages may flow."""
        return self.connection.state is LinkState.LOGGED_IN

    def send(self, messages: Sequence[ForwardedMessage]) -> Sequence[ForwardedMessage]:
        """Put messages on the way, as many as the buffer has room for; answers the others.

        Those are dropped and counted: the peer reads too slowly, or there is no connection.
        """
        refused = messages
        if self._transport is not None and self.is_logged_in:
            refused = self.connection.send(messages, self._clock.now())
            self._settle()
        if refused and not self.dropped:
            logger.warning("A connection to %s drops messages: it is not read fast enough.", self.connection.peer)
        self.dropped += len(refused)
        return refused

    def when_unsent(self, bytes_max: int, then: Callable[[], None]) -> None:
        """Call `then` once, when no more than so many bytes are unsent, now or later; never when it closes before."""
        self._waiters.append((bytes_max, then))
        self._see_waiters()

    def _see_waiters(self) -> None:
        if not self._waiters or self._transport is None or not self.is_logged_in:
            return
        unsent = self.connection.sending.bytes + self._transport.get_write_buffer_size()
        ready = [then for bytes_max, then in self._waiters if unsent <= bytes_max]
        self._waiters = [each for each in self._waiters if unsent > each[0]]
        for then in ready:
            then()

    def hold_receiving(self, *, is_held: bool) -> None:
        """Stop reading, or read again: whoever takes the messages is busy, or is free again.

        A handshake is read to its end; it brings no messages.
        """
        self._is_held = is_held
        self._follow_hold()
        self._arm()

    def _follow_hold(self) -> None:
        is_held = self._is_held and self.is_logged_in
        if self._transport is None or is_held is self.connection.is_receive_flow_controlled:
            return
        self.connection.hold_receiving(self._clock.now(), is_held=is_held)
        if self._transport.is_closing():
            return
        if is_held:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def ask_role(self, broker_instance: BrokerInstanceId) -> None:
        """Ask the peer for its role; lost when the connection is not there or full, so whoever asks asks again."""
        if self._has_room():
            self.connection.ask_role(broker_instance, self._clock.now())
            self._settle()

    def claim_role(self, broker_instance: BrokerInstanceId, *, is_principal: bool) -> None:
        """Tell the peer our role; lost when the connection is not there or full."""
        if self._has_room():
            self.connection.claim_role(broker_instance, self._clock.now(), is_principal=is_principal)
            self._settle()

    def _has_room(self) -> bool:
        if self._transport is None or not self.is_logged_in:
            return False
        return self._transport.get_write_buffer_size() < LINK_BUFFER_BYTES_MAX

    def close(self, number: int) -> None:
        """Say goodbye with this number and close; harmless when closed."""
        self.connection.close(number, self._clock.now())
        self._settle()

    def refuse(self, number: int, **parameters: str | int) -> None:
        """Do not go on with its login, and close; the peer is told why."""
        self.connection.refuse(number, **parameters)
        self._settle()

    def lost(self, number: int, detail: str) -> None:
        """It never came to be; harmless when closed."""
        self.connection.lost(number, detail)
        self._settle()

    def _settle(self) -> None:
        """After any input: write what there is to write, tell a new state, see to the timer."""
        closed = self.connection.state is LinkState.CLOSED
        if self._told is LinkState.CONNECTED and self.is_logged_in:
            self._learn_place()
            self._follow_hold()
        if self._transport is not None and not self._transport.is_closing():
            self._write(self._transport)
            if closed:
                self._close(self._transport)
        self._see_waiters()
        self._arm()
        if self.connection.state is not self._told:
            self._told = self.connection.state
            self._on_change(self)

    def _close(self, transport: asyncio.Transport) -> None:
        """What was written leaves before, the goodbye above all, if the peer reads it soon."""
        transport.close()
        if transport.get_write_buffer_size():
            asyncio.get_running_loop().call_later(LINK_LINGER_SECONDS, transport.abort)

    def _write(self, transport: asyncio.Transport) -> None:
        """As much as the operating system takes; the rest waits in the connection, and is given back when that ends."""
        while data := self.connection.data_to_send(LINK_UNSENT_BYTES_FULL - transport.get_write_buffer_size()):
            transport.write(data)
            if transport.is_closing():
                # A write has failed; what is written now would be dropped without a word.
                return

    def _learn_place(self) -> None:
        """Where a neighbour listens that has called us: it names the port, its machine is the one it calls from."""
        peer = self.connection.known_peer
        if self._transport is None or peer is None or peer.listening_port is None:
            return
        caller = self._transport.get_extra_info("peername")
        if caller is not None:
            self.leads_to = (caller[0], peer.listening_port)

    def _arm(self) -> None:
        """See to the timer. One that is set too early stays: deadlines move with every message, alarms need not."""
        wake_at = self.connection.wake_at()
        if self._timer is not None and (wake_at is None or wake_at < self._rings_at):
            self._timer.cancel()
            self._timer = None
        if self._timer is None and wake_at is not None:
            delay = max(wake_at - self._clock.now().monotonic, 0.0)
            self._timer = asyncio.get_running_loop().call_later(delay, self._ring)
            self._rings_at = wake_at

    def _ring(self) -> None:
        self._timer = None
        self.connection.handle_timer(self._clock.now())
        self._settle()


def _prepare(connected: socket.socket) -> None:
    # Sizes of buffers would be cut to what the system allows, which is less than a long way needs.
    for name in ("TCP_NOTSENT_LOWAT", "TCP_WINDOW_CLAMP"):
        if (option := getattr(socket, name, None)) is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, LINK_SOCKET_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        milliseconds = int(LINK_UNACKNOWLEDGED_SECONDS * 1000)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def words(error: Exception) -> str:
    """What the operating system says of an error, without Python's decoration."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__
