"""`Switchboard`: the connections of an instance that are logged in, whoever opened them; one for each neighbour.

A neighbour's messages, questions and claims come over whichever connection there is, and ours go over it too when the
address we want leads to the place where the neighbour listens (protocol.md 7.1). Which of two connections stays is
the core's arbitration; here it is carried out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Final
from uuid import UUID

from engine.core.link.arbitration import NEWER_STAYS, PeerKey, peer_key, verdict
from engine.core.link.facts import LinkTraffic, NetworkFacts
from engine.core.link.frames import RoleClaim, RoleRequest
from engine.core.link.handshake import Peer
from engine.core.link.negotiation import Method
from engine.core.link.states import LinkRole
from engine.core.vocabulary.identifiers import AskerId
from engine.core.vocabulary.messages import LinkState, LoginEnded
from engine.transport.link import LinkShell

PLACES_KEPT: Final = 4_096
"""More than neighbours that an instance has; old ones are found anew."""

RealAddress = tuple[str, int]
"""Host and port of a socket, as opposed to the address of the model."""


class Switchboard:
    """Shared by the two halves of a network. Opens nothing; closes what arbitration has decided against."""

    def __init__(
        self,
        own_id: UUID,
        on_login: Callable[[LoginEnded], None] = lambda _: None,
        is_tenant: Callable[[Peer, RealAddress], bool] = lambda _peer, _place: False,
    ) -> None:
        """`is_tenant` says whether the hosts know that a peer listens at a place."""
        self._is_tenant = is_tenant
        self._own_id: Final = own_id
        self._on_login = on_login
        self._links: dict[LinkShell, AskerId] = {}
        """Every connection that is under way, oldest first, each with a number of its own."""
        self._next_asker = count(1)
        self._tenants: dict[RealAddress, PeerKey] = {}
        """Whom we have found at the places that we have called."""
        self._ended = LinkTraffic()
        """What went over the connections that are closed."""
        self.is_held = False
        self.on_request: Callable[[LinkShell, RoleRequest], None] | None = None
        self.on_claim: Callable[[LinkShell, RoleClaim], None] | None = None
        self.on_online: Callable[[LinkShell], None] | None = None
        self.on_closed: list[Callable[[LinkShell], None]] = []

    # ── for connections ──────────────────────────────────────────────────────────────────────────────────────────
    def enter(self, link: LinkShell) -> None:
        """A connection is being opened."""
        self._links[link] = AskerId(next(self._next_asker))
        if self.is_held:
            link.hold_receiving(is_held=True)

    def number(self, link: LinkShell) -> AskerId:
        """The number of a connection that is under way."""
        return self._links[link]

    def arbitrate(self, link: LinkShell, peer: Peer) -> int | None:
        """Whether a connection may stay beside those to the same instance; answers the number of why not."""
        newer = (link.connection.role, peer)
        for older in self._rivals(link, peer_key(peer)):
            standing = older.connection.known_peer
            if standing is None:
                continue
            number = verdict(self._own_id, newer, (older.connection.role, standing))
            if number != NEWER_STAYS:
                return number
        return None

    def changed(self, link: LinkShell) -> None:
        """A connection has a new state."""
        login = link.connection.login_ended()
        if login is not None:
            self._on_login(login)
        if link.connection.state is LinkState.LOGGED_IN:
            peer = link.connection.known_peer
            if self.on_online is not None:
                self.on_online(link)
            if peer is not None:
                if link.connection.role is LinkRole.DIALLING and link.leads_to is not None:
                    self._remember(link.leads_to, peer_key(peer))
                for older in self._rivals(link, peer_key(peer)):
                    older.close(NEWER_STAYS)
        elif link.connection.state is LinkState.CLOSED:
            if self._links.pop(link, None) is not None:
                self._ended.add(link.connection.facts().traffic)
            for tell in self.on_closed:
                tell(link)

    def heard(self, link: LinkShell, heard: RoleRequest | RoleClaim) -> None:
        """A question or a claim of a neighbour."""
        if isinstance(heard, RoleRequest):
            if self.on_request is not None:
                self.on_request(link, heard)
        elif self.on_claim is not None:
            self.on_claim(link, heard)

    # ── for those who look for one ───────────────────────────────────────────────────────────────────────────────
    def to_place(self, place: RealAddress) -> LinkShell | None:
        """A connection that is logged in with the instance that listens at a place."""
        return next((link for link in self._links if link.is_logged_in and self.place_of(link) == place), None)

    def place_of(self, link: LinkShell) -> RealAddress | None:
        """Where the neighbour of a connection listens, as far as that is certain.

        What a caller says of it counts where a host vouches for it, or where it has shown the certificate of whom we
        have found there before. Else anybody with a certificate could have what is meant for others.
        """
        place, peer = link.leads_to, link.connection.known_peer
        if place is None or peer is None or link.connection.role is LinkRole.DIALLING:
            return place
        if peer.method is not Method.CERTIFICATE or self._tenants.get(place) == peer_key(peer):
            return place
        return place if self._is_tenant(peer, place) else None

    def to_peer(self, key: PeerKey) -> LinkShell | None:
        """A connection that is logged in with an instance."""
        return next((link for link in self._links if link.is_logged_in and _key(link) == key), None)

    def hold_receiving(self, *, is_held: bool) -> None:
        """Whoever takes the messages is busy, or is free again: read from nobody, or from everybody."""
        if is_held is not self.is_held:
            self.is_held = is_held
            for link in list(self._links):
                link.hold_receiving(is_held=is_held)

    def facts(self) -> NetworkFacts:
        """Of every connection, as `sys.dm_broker_connections` shows them, and of all that there have been."""
        connections = [link.connection.facts() for link in self._links]
        total = replace(self._ended)
        for each in connections:
            total.add(each.traffic)
        return NetworkFacts(connections, total)

    def links(self) -> list[LinkShell]:
        """Every connection that is under way, oldest first."""
        return list(self._links)

    def _remember(self, place: RealAddress, tenant: PeerKey) -> None:
        self._tenants.pop(place, None)
        self._tenants[place] = tenant
        if len(self._tenants) > PLACES_KEPT:
            del self._tenants[next(iter(self._tenants))]

    def _rivals(self, link: LinkShell, key: PeerKey) -> list[LinkShell]:
        """The other connections to the same instance, as far as it is known to be the same.

        An instance that calls itself has both ends of one connection here, and neither is too many.
        """
        peer = link.connection.known_peer
        if peer is not None and peer.arbitration_id == self._own_id:
            return []
        return [other for other in self._links if other is not link and _key(other) == key]


def _key(link: LinkShell) -> PeerKey | None:
    peer = link.connection.known_peer
    return None if peer is None else peer_key(peer)
