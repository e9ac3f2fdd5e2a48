"""`SimulatedLink`: the real `AdjacentBrokerConnection` over a simulated socket; twin of `transport.link.LinkShell`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.endings import LOST_WHILE_RECEIVING
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.limits import LINK_BUFFER_BYTES_MAX
from engine.core.vocabulary.messages import ForwardedMessage, LinkState
from engine.sim.clock import MachineClock
from engine.sim.network import GIVES_UP_SECONDS, Network, Path, Socket

LOST_WHILE_SENDING: Final = 9759


class SimulatedLink:
    """One end of a connection. Tells `on_change` of every new state, as long as its process lives."""

    def __init__(
        self,
        connection: AdjacentBrokerConnection,
        network: Network,
        ends: tuple[InstanceName, InstanceName],
        clock: MachineClock,
        on_messages: Callable[[SimulatedLink, Sequence[ForwardedMessage]], None],
        on_change: Callable[[SimulatedLink], None],
        on_role: Callable[[SimulatedLink, RoleRequest | RoleClaim], None],
    ) -> None:
        self.connection: Final = connection
        self.peer: Socket | None = None
        self.ends: Final = ends
        """Ourselves and the other machine."""
        self._network = network
        self._clock = clock
        self._on_messages = on_messages
        self._on_change = on_change
        self._on_role = on_role
        self._path: Path = network.path(*ends)
        self._told = connection.state
        self._is_alive = True
        self._last_arrival = 0.0
        self._buffered = 0
        self._waiters: list[tuple[int, Callable[[], None]]] = []
        """Who wants to hear when so few bytes are under way."""
        self._held: list[Callable[[], None]] = []
        """Bytes and the end of them, waiting for a path that is cut."""
        self._rings_at: float | None = None
        self._settle()

    # ── the network's side ───────────────────────────────────────────────────────────────────────────────────────
    def opened(self) -> None:
        """The connection stands."""
        if self._is_alive and self.connection.state is not LinkState.CLOSED:
            self.connection.opened(self._clock.now())
            self._settle()
        else:
            self._finish()

    def received(self, data: bytes) -> None:
        """Bytes of the peer; a process that is gone answers them with a reset."""
        if not self._is_alive:
            self._reset_peer()
            return
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

    def lost(self, number: int, detail: str) -> None:
        """The connection is gone, or never came to be; harmless when closed."""
        if self._is_alive:
            self.connection.lost(number, detail)
            self._settle()

    # ── our side ─────────────────────────────────────────────────────────────────────────────────────────────────
    def send(self, messages: Sequence[ForwardedMessage]) -> None:
        """Put messages on the way; those without connection, or beyond the buffer, are lost."""
        if not self._is_alive or self.connection.state is not LinkState.LOGGED_IN:
            return
        if self._buffered >= LINK_BUFFER_BYTES_MAX:
            return
        self.connection.send(messages, self._clock.now())
        self._settle()

    def when_unsent(self, bytes_max: int, then: Callable[[], None]) -> None:
        """Call `then` once, when no more than so many bytes are under way; never when it ends before."""
        self._waiters.append((bytes_max, then))
        self._see_waiters()

    def _see_waiters(self) -> None:
        if not self._is_alive or self.connection.state is not LinkState.LOGGED_IN:
            return
        ready = [then for bytes_max, then in self._waiters if self._buffered <= bytes_max]
        self._waiters = [each for each in self._waiters if self._buffered > each[0]]
        for then in ready:
            then()

    def ask_role(self, broker_instance: BrokerInstanceId) -> None:
        """Ask the peer for its role; lost when the connection is not there."""
        if self._is_alive and self.connection.state is LinkState.LOGGED_IN:
            self.connection.ask_role(broker_instance, self._clock.now())
            self._settle()

    def claim_role(self, broker_instance: BrokerInstanceId, *, is_principal: bool) -> None:
        """Tell the peer our role; lost when the connection is not there."""
        if self._is_alive and self.connection.state is LinkState.LOGGED_IN:
            self.connection.claim_role(broker_instance, self._clock.now(), is_principal=is_principal)
            self._settle()

    def close(self, number: int) -> None:
        """Say goodbye with this number and close; harmless when closed."""
        self.connection.close(number, self._clock.now())
        self._settle()

    def die(self) -> None:
        """The process is gone: nothing is said, the machine resets the connection."""
        self._is_alive = False
        self._reset_peer()

    def tear(self) -> None:
        """The connection breaks in the middle; both ends learn it."""
        self._reset_peer()
        self.lost(LOST_WHILE_RECEIVING, "Connection reset by peer")

    def _reset_peer(self) -> None:
        peer = self.peer
        if peer is not None and not self._path.is_cut:
            delay = self._path.latency(self._network.dice)
            self._network.agenda.after(delay, lambda: peer.lost(LOST_WHILE_RECEIVING, "Connection reset by peer"))

    def _settle(self) -> None:
        """After any input: write what there is to write, tell a new state, see to the timer."""
        if data := self.connection.data_to_send():
            self._write(data)
        if self.connection.state is not self._told:
            self._told = self.connection.state
            if self._told is LinkState.CLOSED:
                self._finish()
            self._on_change(self)
        self._arm()

    # ── bytes on their way ───────────────────────────────────────────────────────────────────────────────────────
    def _write(self, data: bytes) -> None:
        self._buffered += len(data)
        self._through_path(lambda: self._put_on_wire(data))

    def _finish(self) -> None:
        """After the last byte the peer hears that there will be no other."""
        self._through_path(lambda: self._arrive_last())

    def _through_path(self, go: Callable[[], None]) -> None:
        """Do something now, or when the path flows again; keep the order either way."""
        if not self._path.is_cut:
            go()
            return
        if not self._held:
            self._path.waiting.append(self._release)
            since = self._network.agenda.seconds
            self._network.agenda.after(GIVES_UP_SECONDS, lambda: self._give_up(since))
        self._held.append(go)

    def _release(self) -> None:
        held, self._held = self._held, []
        for go in held:
            go()

    def _give_up(self, since: float) -> None:
        waits = self._held and self._network.agenda.seconds - since >= GIVES_UP_SECONDS
        if waits and self._path.is_cut:
            self._held.clear()
            self.lost(LOST_WHILE_SENDING, "Connection timed out")
            # The other end hears nothing of it; when it has something to say, it gets a reset.
            self._is_alive = False

    def _put_on_wire(self, data: bytes) -> None:
        network, path = self._network, self._path
        peer = self.peer
        if peer is None:
            return
        if network.dice.chance(path.profile.corruption):
            data = _with_wrong_byte(data, network.dice.number(0, len(data) - 1), network.dice.number(1, 255))
        arrival = max(self._last_arrival, network.agenda.seconds + path.latency(network.dice))
        self._last_arrival = arrival + path.transfer(len(data))

        def arrive() -> None:
            self._buffered -= len(data)
            self._see_waiters()
            peer.received(data)

        network.agenda.at(self._last_arrival, arrive)

    def _arrive_last(self) -> None:
        peer = self.peer
        if peer is not None:
            at = max(self._last_arrival, self._network.agenda.seconds + self._path.latency(self._network.dice))
            self._network.agenda.at(at, lambda: peer.lost(LOST_WHILE_RECEIVING, "the peer closed it"))

    # ── the timer ────────────────────────────────────────────────────────────────────────────────────────────────
    def _arm(self) -> None:
        """A timer that is set too early stays: deadlines move with every message, alarms need not."""
        wake_at = self.connection.wake_at()
        if wake_at is None:
            return
        at = self._clock.true_time_of(wake_at)
        if self._rings_at is None or at < self._rings_at:
            self._rings_at = at
            self._network.agenda.at(at, lambda: self._ring(at))

    def _ring(self, at: float) -> None:
        if self._rings_at == at:
            self._rings_at = None
            if self._is_alive:
                self.connection.handle_timer(self._clock.now())
                self._settle()


def _with_wrong_byte(data: bytes, place: int, difference: int) -> bytes:
    return data[:place] + bytes([data[place] ^ difference]) + data[place + 1 :]
