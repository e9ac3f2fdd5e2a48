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
from engine.core.vocabulary.identifiers import AskerId
from engine.core.vocabulary.messages import LinkState, LoginEnded
from engine.transport.link import LinkShell

RealAddress = tuple[str, int]
"""Host and port of a socket, as opposed to the address of the model."""


class Switchboard:
    """Shared by the two halves of a network. Opens nothing; closes what arbitration has decided against."""

    def __init__(self, own_id: UUID, on_login: Callable[[LoginEnded], None] = lambda _: None) -> None:
        self._own_id: Final = own_id
        self._on_login = on_login
        self._links: dict[LinkShell, AskerId] = {}
        """Every connection that is under way, oldest first, each with a number of its own."""
        self._next_asker = count(1)
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
        return next((link for link in self._links if link.is_logged_in and link.leads_to == place), None)

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
