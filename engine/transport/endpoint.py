"""`BrokerEndpoint`: the listener of an instance. It accepts neighbours and hands over what they send.

Where an instance listens in the model (`TCP://lyon:4022`) and where its socket really is are two things: here is the
real one, an ephemeral port of this machine; the host's directory connects the two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.endings import TOO_MANY
from engine.core.link.frames import RoleRequest
from engine.core.link.handshake import OPEN_TERMS, LinkIdentity, LoginTerms, Peer
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import AskerId
from engine.core.vocabulary.limits import ACCEPTED_LINKS_MAX, LOGINS_PENDING_MAX
from engine.core.vocabulary.messages import LinkState
from engine.core.vocabulary.mirrors import AskerGone, RoleAnswer, RoleAsked
from engine.core.vocabulary.settings import LinkSettings
from engine.runtime.ports import Clock
from engine.transport.link import ENDPOINT_STOPPED, LinkShell, OnMessages
from engine.transport.listening import port_of, start_listening, stop_listening
from engine.transport.switchboard import Switchboard


class BrokerEndpoint:
    """Listens from `start` to `stop`, any number of times. Not responsible for what messages mean."""

    def __init__(
        self,
        identity: LinkIdentity,
        settings: LinkSettings,
        clock: Clock,
        *,
        on_messages: OnMessages,
        on_asker: Callable[[RoleAsked | AskerGone], None],
        host: str,
        switchboard: Switchboard | None = None,
        terms: Callable[[], LoginTerms] = lambda: OPEN_TERMS,
    ) -> None:
        self._identity = identity
        self._settings = settings
        self._clock = clock
        self._on_messages = on_messages
        self._on_asker = on_asker
        self._host = host
        self._server: asyncio.Server | None = None
        self._is_wanted = False
        self._switchboard = switchboard or Switchboard(identity.arbitration_id)
        self._switchboard.on_request = self._asked
        self._switchboard.on_closed.append(self._gone)
        self._terms = terms
        self._links: dict[LinkShell, None] = {}
        """Oldest first."""
        self._askers: dict[LinkShell, AskerId] = {}
        """Those of the neighbours that have asked for a role, whoever opened the connection."""

    async def start(self) -> int | None:
        """Listen; answers the real port, None when stopped meanwhile. `OSError`. Harmless when listening."""
        self._is_wanted = True
        if self._server is None:
            self._server = await start_listening(self._accept, self._host, lambda: self._is_wanted)
        return None if self._server is None else port_of(self._server)

    def stop(self, reason: int = ENDPOINT_STOPPED) -> None:
        """Stop listening and close every accepted connection, telling each peer why. Harmless when stopped."""
        self._is_wanted = False
        server, self._server = self._server, None
        if server is not None:
            stop_listening(server)
        for link in list(self._links):
            link.close(reason)

    def answer_role(self, answer: RoleAnswer) -> None:
        """Tell a neighbour our role; lost when it is not connected any more."""
        for link in [link for link, asker in self._askers.items() if asker == answer.asker]:
            link.claim_role(answer.broker_instance, is_principal=answer.is_principal)

    @property
    def accepted(self) -> int:
        """Neighbours connected to us now."""
        return len(self._links)

    def _accept(self) -> LinkShell:
        def arbiter(peer: Peer) -> int | None:
            return self._switchboard.arbitrate(link, peer)

        connection = AdjacentBrokerConnection(
            LinkRole.ACCEPTING,
            self._identity,
            self._settings,
            self._clock.now(),
            terms=self._terms(),
            arbiter=arbiter,
        )
        link = LinkShell(connection, self._clock, self._on_messages, self._switchboard.heard, self._changed)
        self._links[link] = None
        self._switchboard.enter(link)
        if not self._is_wanted:
            # Accepted in the turn in which we stopped.
            link.close(ENDPOINT_STOPPED)
        return link

    def _make_room(self) -> None:
        """One has come. Of those not logged in the oldest goes: nobody can keep others out by saying nothing."""
        pending = [link for link in self._links if not link.is_logged_in]
        if len(pending) > LOGINS_PENDING_MAX:
            pending[0].refuse(TOO_MANY, value=LOGINS_PENDING_MAX, detail="logins under way")
        elif len(self._links) > ACCEPTED_LINKS_MAX:
            pending[0].refuse(TOO_MANY, value=ACCEPTED_LINKS_MAX, detail="connections")

    def _asked(self, link: LinkShell, request: RoleRequest) -> None:
        if link not in self._askers:
            self._askers[link] = self._switchboard.number(link)
        self._on_asker(RoleAsked(self._askers[link], request.broker_instance))

    def _gone(self, link: LinkShell) -> None:
        asker = self._askers.pop(link, None)
        if asker is not None:
            self._on_asker(AskerGone(asker))

    def _changed(self, link: LinkShell) -> None:
        if link.connection.state is LinkState.CLOSED:
            self._links.pop(link, None)
        self._switchboard.changed(link)
        if link.connection.state is LinkState.CONNECTED:
            self._make_room()
