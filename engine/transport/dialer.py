"""`Dialer`: the outgoing connections of an instance, one for each modelled address. Half of the core's `Transport`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from engine.core.link.connection import CONNECT_FAILED, AdjacentBrokerConnection, LinkClosure
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.link.handshake import LinkIdentity
from engine.core.link.states import LinkRole
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LinkState, Outbound, TcpAddress
from engine.core.vocabulary.mirrors import RoleClaimed, RoleQuestion
from engine.core.vocabulary.settings import LinkSettings
from engine.runtime.ports import Clock
from engine.transport.link import LinkShell, OnMessages, words

HOST_UNKNOWN: Final = 9783
HUNG_UP: Final = 9691


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
        """What was told of it, CLOSED last; a call tells three things at most."""

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
    ) -> None:
        self._identity = identity
        self._settings = settings
        self._clock = clock
        self._resolve = resolve
        self._on_change = on_change
        self._on_messages = on_messages
        self._on_claim = on_claim
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

    def hang_up(self, address: TcpAddress) -> None:
        """Close the connection, or give up opening it, in silence."""
        call = self._calls.pop(address, None)
        if call is None:
            return
        if call.link is not None:
            call.link.close(HUNG_UP)
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

    def ask_role(self, question: RoleQuestion) -> None:
        """Ask the instance at an address for its role; lost when it is not connected."""
        call = self._calls.get(question.address)
        if call is not None and call.link is not None:
            call.link.ask_role(question.broker_instance)

    def stands(self, change: LinkChange) -> bool:
        """Whether a report is still of the present call: its address was neither hung up nor dialled again since."""
        call = self._calls.get(change.address)
        return call is not None and any(change is report for report in call.reports)

    def close(self) -> None:
        """Hang up everywhere, in silence."""
        for address in list(self._calls):
            self.hang_up(address)

    # ── a call ───────────────────────────────────────────────────────────────────────────────────────────────────
    async def _connect(self, call: _Call) -> None:
        now = self._clock.now()
        connection = AdjacentBrokerConnection(
            LinkRole.DIALLING, self._identity, self._settings, now, address=call.address
        )
        link = call.link = LinkShell(
            connection,
            self._clock,
            self._on_messages,
            lambda _, heard: self._heard(call, heard),
            lambda _: self._changed(call, connection),
        )
        try:
            host, port = self._resolve(call.address)
            await asyncio.get_running_loop().create_connection(lambda: link, host, port)
        except HostUnknown as error:
            link.lost(HOST_UNKNOWN, str(error))
        except OSError as error:
            link.lost(CONNECT_FAILED, words(error))

    def _flush(self, call: _Call) -> None:
        messages, call.outbox = call.outbox, []
        if call.link is not None:
            # What does not go now is lost here and sent again by its dialog.
            call.link.send(messages)

    def _heard(self, call: _Call, heard: RoleRequest | RoleClaim) -> None:
        if self._calls.get(call.address) is call and isinstance(heard, RoleClaim):
            self._on_claim(RoleClaimed(call.address, heard.broker_instance, heard.is_principal))

    def _changed(self, call: _Call, connection: AdjacentBrokerConnection) -> None:
        if self._calls.get(call.address) is not call:
            return
        if connection.state is LinkState.CLOSED:
            call.link = None
            if call.attempt is not None:
                # A connect that took too long is still under way.
                call.attempt.cancel()
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
