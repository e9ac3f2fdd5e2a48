"""`SimulatedDialer`: the outgoing half of the core's `Transport` on the simulated network; twin of `transport.dialer`.

Messages of one turn leave together, after their commit. Before they enter the connection the path may lose, repeat
or hold back each of them (`network`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.endings import CONNECT_FAILED
from engine.core.link.facts import LinkClosure, LinkTraffic
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import (
    ForwardedMessage,
    LinkChange,
    LinkHasRoom,
    LinkState,
    LoginEnded,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.mirrors import RoleClaimed, RoleQuestion
from engine.core.vocabulary.settings import LinkSettings
from engine.sim.clock import MachineClock
from engine.sim.entropy import Dice
from engine.sim.link import SimulatedLink
from engine.sim.network import Network
from engine.sim.tampering import tampered

HOST_UNKNOWN: Final = 9783
HUNG_UP: Final = 9691

_NOBODY: Final = InstanceName("")


class _Call:
    """One dialling of an address, and messages that wait for the end of the turn."""

    def __init__(self, address: TcpAddress) -> None:
        self.address: Final = address
        self.link: SimulatedLink | None = None
        self.outbox: list[ForwardedMessage] = []
        self.reports: list[LinkChange] = []
        """What was told of it, CLOSED last."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended by itself; nothing more will be told of it."""
        return bool(self.reports) and self.reports[-1].state is LinkState.CLOSED


class SimulatedDialer:
    """Outgoing connections of one process, one for each address; it decides nothing."""

    def __init__(
        self,
        identity: LinkIdentity,
        settings: LinkSettings,
        clock: MachineClock,
        network: Network,
        dice: Dice,
        terms: Callable[[], LoginTerms],
        *,
        on_change: Callable[[LinkChange], None],
        on_messages: Callable[[SimulatedLink, Sequence[ForwardedMessage]], None],
        on_send: Callable[[Outbound], None],
        on_claim: Callable[[RoleClaimed], None],
        on_room: Callable[[LinkHasRoom], None],
    ) -> None:
        self._identity = identity
        self._settings = settings
        self._clock = clock
        self._network = network
        self._dice = dice
        self._terms = terms
        self._on_change = on_change
        self._on_messages = on_messages
        self._on_send = on_send
        self._on_claim = on_claim
        self._on_room = on_room
        self._calls: dict[TcpAddress, _Call] = {}
        self.ended: Final = LinkTraffic()
        """What went over the connections that are closed."""
        self.on_login: Callable[[LoginEnded], None] | None = None
        """Told how handshakes have ended, where somebody wants to know."""

    # ── the port ─────────────────────────────────────────────────────────────────────────────────────────────────
    def dial(self, address: TcpAddress) -> None:
        """Open a connection; a call that is under way goes on."""
        known = self._calls.get(address)
        if known is not None and not known.is_over:
            return
        call = self._calls[address] = _Call(address)
        connection = AdjacentBrokerConnection(
            LinkRole.DIALLING,
            self._identity,
            self._settings,
            self._clock.now(),
            address,
            terms=self._terms(),
        )
        there = self._network.name_of(address, self._identity.instance) or _NOBODY
        call.link = SimulatedLink(
            connection,
            self._network,
            (self._identity.instance, there),
            self._clock,
            self._on_messages,
            lambda _: self._changed(call, connection),
            lambda _, heard: self._heard(call, heard),
        )
        self._network.connect(self._identity.instance, call.link, address, HOST_UNKNOWN, CONNECT_FAILED)

    def hang_up(self, address: TcpAddress) -> None:
        """Close the connection, or give up opening it, in silence."""
        call = self._calls.pop(address, None)
        if call is not None and call.link is not None:
            call.link.close(HUNG_UP)

    def send(self, outbound: Outbound) -> None:
        """Take a message; it leaves with the others of this turn."""
        self._on_send(outbound)
        call = self._calls.get(outbound.address)
        if call is not None and call.link is not None:
            call.outbox.append(outbound.message)

    def tell_room(self, address: TcpAddress) -> None:
        """Tell when most of what was handed over has arrived; what this turn has sent counts."""
        call = self._calls.get(address)
        if call is not None:
            self._network.agenda.after(0.0, lambda: self._watch_room(call))

    def _watch_room(self, call: _Call) -> None:
        if call.link is not None:
            call.link.when_unsent(self._settings.room_bytes // 2, lambda: self._tell_room(call))

    def _tell_room(self, call: _Call) -> None:
        if self._calls.get(call.address) is call:
            self._on_room(LinkHasRoom(call.address))

    def ask_role(self, question: RoleQuestion) -> None:
        """Ask the instance at an address for its role; lost when it is not connected."""
        call = self._calls.get(question.address)
        if call is not None and call.link is not None:
            call.link.ask_role(question.broker_instance)

    # ── for the server ───────────────────────────────────────────────────────────────────────────────────────────
    def flush(self) -> None:
        """The turn is over: what was handed over goes its way."""
        for call in list(self._calls.values()):
            if call.outbox and call.link is not None:
                messages, call.outbox = call.outbox, []
                self._pass_on(call, call.link, messages)

    def stands(self, change: LinkChange) -> bool:
        """Whether a report is still of the present call."""
        call = self._calls.get(change.address)
        return call is not None and any(change is report for report in call.reports)

    def links(self) -> list[SimulatedLink]:
        """Connections that stand or are being opened."""
        return [call.link for call in self._calls.values() if call.link is not None]

    def die(self) -> None:
        """The process is gone."""
        for link in self.links():
            link.die()

    def _pass_on(self, call: _Call, link: SimulatedLink, messages: Sequence[ForwardedMessage]) -> None:
        """Let the path take its toll of messages, then send what is left of them."""
        profile = self._network.path(*link.ends).profile
        dice = self._dice
        leaving: list[ForwardedMessage] = []
        for given in messages:
            message = tampered(given, dice) if dice.chance(profile.tampering) else given
            if dice.chance(profile.duplication):
                self._later(call, message, dice.between(0.0, profile.late_ms / 1000.0))
            if dice.chance(profile.loss):
                continue
            if dice.chance(profile.reordering):
                self._later(call, message, dice.between(0.0, profile.late_ms / 1000.0))
            else:
                leaving.append(message)
        if leaving:
            link.send(leaving)

    def _later(self, call: _Call, message: ForwardedMessage, seconds: float) -> None:
        """A message arrives late, over whatever connection there is then."""

        def send() -> None:
            now = self._calls.get(call.address)
            if now is not None and now.link is not None:
                now.link.send([message])

        self._network.agenda.after(seconds, send)

    def _heard(self, call: _Call, heard: RoleRequest | RoleClaim) -> None:
        """Whoever accepted our call may only claim a role over it: it asks over a call of its own."""
        if isinstance(heard, RoleClaim) and self._calls.get(call.address) is call:
            self._on_claim(
                RoleClaimed(
                    address=call.address, broker_instance=heard.broker_instance, is_principal=heard.is_principal
                )
            )

    def _changed(self, call: _Call, connection: AdjacentBrokerConnection) -> None:
        if connection.state is LinkState.CLOSED:
            self.ended.add(connection.facts().traffic)
        if self.on_login is not None and (login := connection.login_ended()) is not None:
            self.on_login(login)
        if self._calls.get(call.address) is not call:
            return
        if connection.state is LinkState.CLOSED:
            call.link = None
        closure = connection.closure or LinkClosure()
        change = LinkChange(
            address=call.address,
            state=connection.state,
            peer=connection.peer,
            error=closure.number,
            detail=closure.detail,
        )
        call.reports.append(change)
        self._on_change(change)
