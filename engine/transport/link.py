"""`LinkShell`: a TCP connection around an `AdjacentBrokerConnection`. It moves bytes and keeps time, nothing else."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import Callable, Sequence
from typing import Final

from engine.core.link.connection import LOST_WHILE_RECEIVING, AdjacentBrokerConnection
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.vocabulary.errors import RemoteProtocolError, text_of
from engine.core.vocabulary.identifiers import BrokerInstanceId
from engine.core.vocabulary.limits import LINK_BUFFER_BYTES_MAX
from engine.core.vocabulary.messages import ForwardedMessage, LinkState
from engine.core.vocabulary.moment import Instant
from engine.runtime.ports import Clock

LOST_WHILE_SENDING: Final = 9759
HANDSHAKE_CUT_SHORT: Final = 28028

_HEADER_BYTES_ESTIMATED: Final = 512
"""What a message is reckoned to need in the buffer beside its body."""

logger = logging.getLogger(__name__)

OnMessages = Callable[[Sequence[ForwardedMessage]], None]
"""Takes messages that arrived together, in their order."""

OnRole = Callable[["LinkShell", RoleRequest | RoleClaim], None]
"""Takes a question or a claim about a principal, with the connection that it came by."""


class LinkShell(asyncio.Protocol):
    """One TCP connection. Tells `on_change` of every new state, and of CLOSED exactly once."""

    def __init__(
        self,
        connection: AdjacentBrokerConnection,
        clock: Clock,
        on_messages: OnMessages,
        on_role: OnRole,
        on_change: Callable[[LinkShell], None],
    ) -> None:
        self.connection: Final = connection
        self.dropped = 0
        """Messages that were handed over and did not go."""
        self._clock = clock
        self._on_messages = on_messages
        self._on_role = on_role
        self._on_change = on_change
        self._told = connection.state
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
        self.connection.opened(self._clock.now())
        self._settle()

    def data_received(self, data: bytes) -> None:
        """Bytes of the peer."""
        try:
            messages = self.connection.receive_data(data, self._clock.now())
        except RemoteProtocolError:
            # The connection has closed itself with the reason and has the goodbye ready.
            messages = []
        if messages:
            self._on_messages(messages)
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
    def send(self, messages: Sequence[ForwardedMessage]) -> None:
        """Put messages on the way, as many as the buffer has room for.

        The others are dropped and counted: the peer reads too slowly, or there is no connection.
        """
        fitting = self._fitting(messages)
        if fitting:
            self.connection.send(fitting, self._clock.now())
            self._settle()
        if len(fitting) < len(messages):
            if not self.dropped:
                logger.warning("A connection to %s drops messages: it is not read fast enough.", self.connection.peer)
            self.dropped += len(messages) - len(fitting)

    def _fitting(self, messages: Sequence[ForwardedMessage]) -> Sequence[ForwardedMessage]:
        """The first of the messages, up to the one that fills the buffer."""
        if self._transport is None or self.connection.state is not LinkState.LOGGED_IN:
            return ()
        room = LINK_BUFFER_BYTES_MAX - self._transport.get_write_buffer_size()
        for position, forwarded in enumerate(messages):
            if room <= 0:
                return messages[:position]
            room -= _HEADER_BYTES_ESTIMATED + len(forwarded.message.body or b"")
        return messages

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
        if self._transport is None or self.connection.state is not LinkState.LOGGED_IN:
            return False
        return self._transport.get_write_buffer_size() < LINK_BUFFER_BYTES_MAX

    def close(self, number: int) -> None:
        """Say goodbye with this number and close; harmless when closed."""
        self.connection.close(number, self._clock.now())
        self._settle()

    def lost(self, number: int, detail: str) -> None:
        """It never came to be; harmless when closed."""
        self.connection.lost(number, detail)
        self._settle()

    def _settle(self) -> None:
        """After any input: write what there is to write, tell a new state, see to the timer."""
        closed = self.connection.state is LinkState.CLOSED
        if self._transport is not None and not self._transport.is_closing():
            if data := self.connection.data_to_send():
                self._transport.write(data)
            if closed:
                # Flushes what was written, the goodbye above all, before it closes.
                self._transport.close()
        self._arm()
        if self.connection.state is not self._told:
            self._told = self.connection.state
            self._on_change(self)

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


def words(error: Exception) -> str:
    """What the operating system says of an error, without Python's decoration."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__
