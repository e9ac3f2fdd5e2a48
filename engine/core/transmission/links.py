"""`LinkBook`: what an instance knows of its outgoing connections (protocol.md 7.1).

A destination is dialled when somebody waits for it and it is not suppressed: 15 s after a disconnect, 60 s after a
failed connect. The book never dials by itself; it says which addresses are due.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.core.transmission.waiting_line import EndpointKey, WaitingLine
from engine.core.transmission.way import Way
from engine.core.vocabulary.identifiers import BrokerInstanceId, InstanceName
from engine.core.vocabulary.limits import LINKS_KEPT_MAX
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.settings import LinkSettings


@dataclass(slots=True)
class Link:
    """One destination: its connection, if any, and the conversations whose messages go there."""

    state: LinkState = LinkState.NEW
    told: LinkState = LinkState.NEW
    """The state that was told last as an event: the transport reports what comes of a call."""
    peer: InstanceName | None = None
    error: int | None = None
    detail: str = ""
    suppressed_until: Instant | None = None
    conversations: dict[EndpointKey, None] = field(default_factory=dict)
    """Those with something to send; a dictionary because it keeps their order."""
    room: int = 0
    """Bytes that may be handed over before the connection has told that most of what it has is sent."""
    turned_away: WaitingLine = field(default_factory=WaitingLine)
    """Those that wait for room."""
    ways: dict[BrokerInstanceId | None, Way] = field(default_factory=dict)
    """By the broker that they lead to; None for dialogs that have not heard from any yet."""

    @property
    def is_up(self) -> bool:
        """Whether fragments may flow."""
        return self.state is LinkState.LOGGED_IN

    def way_to(self, broker_instance: BrokerInstanceId | None, width: int) -> Way:
        """What is known of the way to a broker since the connection is up; a new one is of this width."""
        way = self.ways.get(broker_instance)
        if way is None:
            way = self.ways[broker_instance] = Way(width)
        return way


class LinkBook:
    """All destinations of one instance."""

    def __init__(self, settings: LinkSettings) -> None:
        self._settings = settings
        self._links: dict[TcpAddress, Link] = {}
        self._crowded: dict[Way, Link] = {}
        """Ways that turned somebody away, until nobody waits any more."""

    def __getitem__(self, address: TcpAddress) -> Link:
        link = self._links.get(address)
        if link is None:
            link = self._links[address] = Link()
        return link

    def get(self, address: TcpAddress) -> Link | None:
        """What is known of a destination; None when it was never needed."""
        return self._links.get(address)

    def items(self) -> list[tuple[TcpAddress, Link]]:
        """Every destination known, in the order in which it was first needed."""
        return list(self._links.items())

    def may_dial(self, address: TcpAddress, now: Instant) -> bool:
        """Whether a connection is wanted, absent, and not suppressed."""
        link = self[address]
        if link.state not in (LinkState.NEW, LinkState.CLOSED):
            return False
        return link.suppressed_until is None or link.suppressed_until <= now

    def dialling(self, address: TcpAddress) -> None:
        """The transport was told to connect."""
        link = self[address]
        link.state = LinkState.CONNECTING
        link.suppressed_until = None

    def apply(self, change: LinkChange, now: Instant) -> Link | None:
        """Take over what the transport reports; None when it speaks of a connection that was given up already."""
        link = self[change.address]
        if link.state in (LinkState.NEW, LinkState.CLOSED):
            return None
        was_up = link.is_up
        link.state, link.peer = change.state, change.peer or link.peer
        # Whoever waited for room learns the change like everybody else.
        link.turned_away.clear()
        if change.state is LinkState.LOGGED_IN:
            link.room = self._settings.room_bytes
            for way in link.ways.values():
                way.turned_away.clear()
            link.ways = {}
            link.error, link.detail, link.suppressed_until = None, "", None
        elif change.state is LinkState.CLOSED:
            link.error, link.detail = change.error, change.detail
            link.suppressed_until = self._suppressed_until(change, was_up, now)
        return link

    def turn_away(self, link: Link, way: Way, key: EndpointKey, priority: int) -> None:
        """A way has no room for a conversation, which waits from now on."""
        way.turned_away.join(key, priority)
        self._crowded[way] = link

    def crowded(self) -> list[tuple[Way, Link]]:
        """Ways for which somebody waits, each with its link."""
        if not self._crowded:
            return []
        for way in [way for way in self._crowded if not way.turned_away]:
            del self._crowded[way]
        return list(self._crowded.items())

    def has_room(self, address: TcpAddress) -> Link:
        """Most of what a connection was given is sent: it takes as much again."""
        link = self[address]
        link.room = self._settings.room_bytes
        return link

    def _suppressed_until(self, change: LinkChange, was_up: bool, now: Instant) -> Instant | None:
        if change.error is None:
            return None
        settings = self._settings
        wait = settings.suppress_after_disconnect_seconds if was_up else settings.suppress_after_failed_connect_seconds
        return Instant(now + wait)

    def forget_unused(self, holds: Callable[[TcpAddress], bool]) -> list[TcpAddress]:
        """Beyond the bound, forget closed connections that nobody waits for; answers their addresses.

        `holds` says where messages in transit wait.
        """
        if len(self._links) <= LINKS_KEPT_MAX:
            return []
        unused = [
            address
            for address, link in self._links.items()
            if link.state in (LinkState.NEW, LinkState.CLOSED) and not link.conversations and not holds(address)
        ]
        for address in unused:
            del self._links[address]
        return unused

    def lift_suppression_of(self, address: TcpAddress) -> bool:
        """Try one again at the next occasion; answers whether it was left alone."""
        link = self._links.get(address)
        if link is None or link.suppressed_until is None:
            return False
        link.suppressed_until = None
        return True

    def lift_suppression(self) -> None:
        """Try everything again at the next occasion: our own endpoint was started."""
        for link in self._links.values():
            link.suppressed_until = None

    def hang_up_all(self) -> list[TcpAddress]:
        """Our endpoint stopped: every connection goes; answers the addresses to close."""
        open_links = [
            address for address, link in self._links.items() if link.state not in (LinkState.NEW, LinkState.CLOSED)
        ]
        for address in open_links:
            link = self._links[address]
            link.state, link.error, link.detail, link.suppressed_until = LinkState.CLOSED, None, "", None
        return open_links

    def wake_at(self, holds: Callable[[TcpAddress], bool]) -> Instant | None:
        """When the next suppression that somebody waits for ends; `holds` says where messages in transit wait."""
        at: Instant | None = None
        for address, link in self._links.items():
            until = link.suppressed_until
            if until is not None and (at is None or until < at) and (link.conversations or holds(address)):
                at = until
        return at
