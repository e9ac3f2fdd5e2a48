"""What there is to tell of a connection: why it is closed, and what `sys.dm_broker_connections` shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from engine.core.link.handshake import Peer
from engine.core.link.login import LoginState
from engine.core.vocabulary.messages import LinkState, TcpAddress
from engine.core.vocabulary.moment import UtcTime


class LinkClosure(msgspec.Struct, frozen=True, kw_only=True):
    """Why a connection is closed. `number` is None when nothing is wrong: it was idle, or we hung up."""

    number: int | None = None
    detail: str = ""
    reason: int | None = None
    """The number that was said or heard in the last frame, if any."""


@dataclass(slots=True)
class LinkTraffic:
    """What went over a connection: bytes as they are on the wire, messages, and portions taken from or by a socket."""

    bytes_sent: int = 0
    bytes_received: int = 0
    fragments_sent: int = 0
    fragments_received: int = 0
    sends: int = 0
    receives: int = 0

    def was_sent(self, data: bytes) -> bytes:
        """A portion goes to the socket; answers it."""
        self.bytes_sent += len(data)
        self.sends += bool(data)
        return data

    def has_arrived(self, data: bytes) -> None:
        """A portion came from the socket."""
        self.bytes_received += len(data)
        self.receives += 1

    def add(self, other: LinkTraffic) -> None:
        """What went over another connection went over this one as well: for sums over connections."""
        self.bytes_sent += other.bytes_sent
        self.bytes_received += other.bytes_received
        self.fragments_sent += other.fragments_sent
        self.fragments_received += other.fragments_received
        self.sends += other.sends
        self.receives += other.receives


class LinkFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What `sys.dm_broker_connections` shows of a connection (views.md); times are UTC, None until they come."""

    state: LinkState
    login_state: LoginState
    is_accept: bool
    peer: Peer | None
    connect_time: UtcTime | None
    login_time: UtcTime | None
    last_activity_time: UtcTime | None
    is_receive_flow_controlled: bool
    is_send_flow_controlled: bool
    address: TcpAddress | None
    """Whom we have called; None of a connection that the peer has opened."""
    traffic: LinkTraffic


class NetworkFacts(msgspec.Struct, frozen=True):
    """What the network of an instance tells of itself at a moment."""

    connections: Sequence[LinkFacts]
    """Oldest first."""
    traffic: LinkTraffic
    """What went over all connections since the start, those that are closed among them."""
