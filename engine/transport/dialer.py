"""`Dialer`: the calls of an instance, one for each modelled address. Half of the core's `Transport`.

A call opens a connection, or rides on one that is there: another call's to the same place, or one that the neighbour
has opened to us. To the core that makes no difference.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from engine.core.link.arbitration import OLDER_STAYS, PeerKey, peer_key
from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.endings import ARBITRATION, CONNECT_FAILED, HUNG_UP
from engine.core.link.facts import LinkClosure
from engine.core.link.frames import RoleClaim
from engine.core.link.handshake import NOT_VERIFIED, OPEN_TERMS, LinkIdentity, LoginTerms, Peer
from engine.core.link.negotiation import Method
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.limits import ROLE_QUESTIONS_KEPT
from engine.core.vocabulary.messages import (
    ForwardedMessage,
    LinkChange,
    LinkHasRoom,
    LinkState,
    MessagesReturned,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.mirrors import RoleClaimed, RoleQuestion
from engine.core.vocabulary.settings import LinkSettings
from engine.runtime.ports import Clock
from engine.transport.link import ENDPOINT_STOPPED, LinkShell, OnMessages, words
from engine.transport.switchboard import RealAddress, Switchboard

HOST_UNKNOWN: Final = 9783
_REPORTS_KEPT: Final = 4
"""Of one call; older ones were overtaken by them."""


class HostUnknown(Exception):
    """No instance of the estate answers to the host of an address; says so in words."""


Resolve = Callable[[TcpAddress], tuple[str, int]]
"""From a modelled address to a real host and port. Raises `HostUnknown`, or `OSError` when nothing listens there."""


class _Call:
    """One dialling of an address: what is under way, and messages that wait for the end of this turn of the loop."""

    def __init__(self, address: TcpAddress) -> None:
        self.address: Final = address
        self.link: LinkShell | None = None
        self.attempt: asyncio.Task[None] | None = None
        self.outbox: list[ForwardedMessage] = []
        self.reports: list[LinkChange] = []
        """What was told of it last, CLOSED at the end."""
        self.asked: dict[BrokerInstanceId, None] = {}
        """Databases whose role the neighbour was asked for: over another connection it has to be asked again."""
        self.awaits: PeerKey | None = None
        """Arbitration has closed its connection; it waits for the other one to the same instance."""
        self.patience: asyncio.TimerHandle | None = None
        """How long it does so."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended by itself; nothing more will be told of it."""
        return bool(self.reports) and self.reports[-1].state is LinkState.CLOSED


class Dialer:
    """Follows `dial`, `hang_up` and `send`; reports what becomes of a call through `on_change`.

    It never reports from inside one of its methods, and says nothing more of a call after `hang_up`. A report that
    waits somewhere meanwhile is checked with `stands` before it is believed. The dialer decides nothing: when to dial,
    and when again, is the core's.
    """

    def __init__(
        self,
        identity: LinkIdentity,
        settings: LinkSettings,
        clock: Clock,
        *,
        resolve: Resolve,
        on_change: Callable[[LinkChange], None],
        on_messages: OnMessages,
        on_claim: Callable[[RoleClaimed], None],
        on_room: Callable[[LinkHasRoom], None] = lambda _: None,
        on_returned: Callable[[MessagesReturned], None] = lambda _: None,
        switchboard: Switchboard | None = None,
        terms: Callable[[], LoginTerms] = lambda: OPEN_TERMS,
        tenant: Callable[[RealAddress], InstanceName | None] = lambda _: None,
    ) -> None:
        """`tenant` says who listens at a place, as far as the hosts know; `OSError` when that cannot be looked up."""
        self._tenant = tenant
        self._identity = identity
        self._settings = settings
        self._clock = clock
        self._resolve = resolve
        self._on_change = on_change
        self._on_messages = on_messages
        self._on_claim = on_claim
        self._on_room = on_room
        self._on_returned = on_returned
        self._terms = terms
        self._switchboard = switchboard or Switchboard(identity.arbitration_id)
        self._switchboard.on_claim = self._claimed
        self._switchboard.on_online = self._online
        self._switchboard.on_closed.append(self._gone)
        self._calls: dict[TcpAddress, _Call] = {}
        """The last call of each address, also when it is over, until `hang_up`."""

    # ── the port ─────────────────────────────────────────────────────────────────────────────────────────────────
    def dial(self, address: TcpAddress) -> None:
        """Open a connection; a call that is under way goes on."""
        known = self._calls.get(address)
        if known is not None and not known.is_over:
            return
        call = self._calls[address] = _Call(address)
        call.attempt = asyncio.get_running_loop().create_task(self._connect(call))

    def hang_up(self, address: TcpAddress, reason: int = HUNG_UP) -> None:
        """Close the connection, or give up opening it, in silence. One that others use stays open for them.

        The neighbour is told `reason`; after `HUNG_UP` it may open a connection of its own at once.
        """
        call = self._calls.pop(address, None)
        if call is None:
            return
        if call.patience is not None:
            call.patience.cancel()
        link = call.link
        if link is not None and link.connection.role is LinkRole.DIALLING and not self._riders(link):
            link.close(reason)
        if call.attempt is not None:
            call.attempt.cancel()

    def send(self, outbound: Outbound) -> None:
        """Hand over a message; messages of one turn of the loop leave together."""
        call = self._calls.get(outbound.address)
        if call is None or call.link is None:
            return
        if not call.outbox:
            asyncio.get_running_loop().call_soon(self._flush, call)
        call.outbox.append(outbound.message)

    def tell_room(self, address: TcpAddress) -> None:
        """Tell through `on_room` when most of what was handed over is sent; what this turn has sent counts."""
        call = self._calls.get(address)
        if call is not None:
            asyncio.get_running_loop().call_soon(self._watch_room, call)

    def _watch_room(self, call: _Call) -> None:
        if call.link is not None:
            call.link.when_unsent(self._settings.room_bytes // 2, partial(self._tell_room, call, call.link))

    def _tell_room(self, call: _Call, link: LinkShell) -> None:
        if call.link is link and self._calls.get(call.address) is call:
            self._on_room(LinkHasRoom(call.address))

    def ask_role(self, question: RoleQuestion) -> None:
        """Ask the instance at an address for its role; lost when it is not connected."""
        call = self._calls.get(question.address)
        if call is not None and call.link is not None:
            call.asked.pop(question.broker_instance, None)
            call.asked[question.broker_instance] = None
            if len(call.asked) > ROLE_QUESTIONS_KEPT:
                del call.asked[next(iter(call.asked))]
            call.link.ask_role(question.broker_instance)

    def stands(self, change: LinkChange) -> bool:
        """Whether a report is still of the present call: its address was neither hung up nor dialled again since."""
        call = self._calls.get(change.address)
        return call is not None and any(change is report for report in call.reports)

    def close(self) -> None:
        """Hang up everywhere, in silence; neighbours need not try again soon."""
        for address in list(self._calls):
            self.hang_up(address, ENDPOINT_STOPPED)

    # ── a call ───────────────────────────────────────────────────────────────────────────────────────────────────
    async def _connect(self, call: _Call) -> None:
        expected: InstanceName | None = None

        def arbiter(peer: Peer) -> int | None:
            if peer.method is Method.VOUCHED and expected not in (None, peer.instance):
                # The words of another instance, passed on by whoever has this place now.
                return NOT_VERIFIED
            return self._switchboard.arbitrate(link, peer)

        connection = AdjacentBrokerConnection(
            LinkRole.DIALLING,
            self._identity,
            self._settings,
            self._clock.now(),
            address=call.address,
            terms=self._terms(),
            arbiter=arbiter,
        )
        link = LinkShell(connection, self._clock, self._on_messages, self._switchboard.heard, self._changed)
        call.link = link
        try:
            place = self._resolve(call.address)
            there = self._switchboard.to_place(place)
            if there is not None:
                call.link = None
                link.close(HUNG_UP)
                self._ride(call, there)
                return
            expected = self._tenant(place)
            self._switchboard.enter(link)
            link.leads_to = place
            await asyncio.get_running_loop().create_connection(lambda: link, *place)
        except HostUnknown as error:
            link.lost(HOST_UNKNOWN, str(error))
        except OSError as error:
            link.lost(CONNECT_FAILED, words(error))

    def _flush(self, call: _Call) -> None:
        messages, call.outbox = call.outbox, []
        # What does not go now is lost here; dialogs send their messages again.
        if call.link is None:
            self._give_back(call, messages, is_closed=True)
        else:
            self._give_back(call, call.link.send(messages), is_closed=not call.link.is_logged_in)

    def _give_back(self, call: _Call, messages: Sequence[ForwardedMessage], *, is_closed: bool) -> None:
        if messages:
            self._on_returned(MessagesReturned(address=call.address, messages=tuple(messages), is_closed=is_closed))

    def _ride(self, call: _Call, link: LinkShell) -> None:
        """A call goes over a connection that is logged in already."""
        call.link, call.awaits = link, None
        if call.patience is not None:
            call.patience.cancel()
            call.patience = None
        for broker_instance in call.asked:
            link.ask_role(broker_instance)
        self._report(call, LinkState.LOGGED_IN, link, LinkClosure())

    def _riders(self, link: LinkShell) -> list[_Call]:
        return [call for call in self._calls.values() if call.link is link]

    # ── what the switchboard tells ───────────────────────────────────────────────────────────────────────────────
    def _claimed(self, link: LinkShell, claim: RoleClaim) -> None:
        for call in self._riders(link):
            self._on_claim(RoleClaimed(call.address, claim.broker_instance, claim.is_principal))

    def _online(self, link: LinkShell) -> None:
        """A connection is logged in: whoever waits for its neighbour takes it."""
        peer = link.connection.known_peer
        for call in list(self._calls.values()):
            if peer is not None and call.awaits == peer_key(peer):
                self._ride(call, link)

    def _gone(self, link: LinkShell) -> None:
        """A connection is closed: its calls move to the one that arbitration has kept, or end with it."""
        closure = link.connection.closure or LinkClosure()
        peer = link.connection.known_peer
        for call in self._riders(link):
            call.link = None
            self._give_back(call, link.connection.unsent(), is_closed=True)
            if peer is None or closure.reason not in ARBITRATION:
                self._end(call, link, closure)
                continue
            survivor = self._switchboard.to_peer(peer_key(peer))
            if survivor is not None:
                self._ride(call, survivor)
            else:
                call.awaits = peer_key(peer)
                patience = asyncio.get_running_loop()
                call.patience = patience.call_later(self._settings.handshake_seconds, self._lose_patience, call, link)

    def _lose_patience(self, call: _Call, link: LinkShell) -> None:
        """The connection that was to be kept has not come."""
        call.awaits = call.patience = None
        self._end(call, link, LinkClosure(number=OLDER_STAYS, detail=status_text(OLDER_STAYS)))

    def _end(self, call: _Call, link: LinkShell, closure: LinkClosure) -> None:
        if call.attempt is not None:
            # A connect that took too long is still under way.
            call.attempt.cancel()
        self._report(call, LinkState.CLOSED, link, closure)

    def _changed(self, link: LinkShell) -> None:
        """A connection that we open has a new state."""
        state = link.connection.state
        if state is not LinkState.CLOSED:
            for call in self._riders(link):
                self._report(call, state, link, LinkClosure())
        self._switchboard.changed(link)

    def _report(self, call: _Call, state: LinkState, link: LinkShell, closure: LinkClosure) -> None:
        change = LinkChange(
            address=call.address,
            state=state,
            peer=link.connection.peer,
            error=closure.number,
            detail=closure.detail,
        )
        call.reports = [*call.reports[1 - _REPORTS_KEPT :], change]
        self._on_change(change)
