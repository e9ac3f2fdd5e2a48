"""`BrokerCounters`: what an instance counts since it was started, incremented where it happens (views.md 6).

Only sums stand here. What can be looked up, such as messages in transit or open connections, is looked up when
somebody asks. Counting costs an addition; nothing here is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from engine.core.forwarding.transmitter import DUPLICATE, NextHop
from engine.core.vocabulary.identifiers import DatabaseName, RouteName
from engine.core.vocabulary.limits import FORWARDED_HEADER_BYTES
from engine.core.vocabulary.messages import DialogMessage, LinkState, Outbound, TcpAddress
from engine.core.vocabulary.moment import NEVER_SET, Instant, UtcTime

PRIORITIES: Final = range(1, 11)


@dataclass(slots=True)
class LinkActivity:
    """What went over an outgoing connection since it was opened. Times are UTC, None while it has not happened."""

    connect_time: UtcTime | None = None
    login_time: UtcTime | None = None
    last_activity_time: UtcTime | None = None
    fragments_sent: int = 0
    bytes_sent: int = 0


@dataclass(slots=True)
class TransmissionObjectCounters:
    """Sums of SQLServer:Broker TO Statistics."""

    gets: int = 0
    set_dirty: int = 0
    writes: int = 0
    batches: int = 0
    rounds: int = 0
    """Rounds of the flusher that another one came before."""
    seconds_between_rounds: float = 0.0
    last_round: Instant | None = None

    def note_round(self, now: Instant) -> None:
        """The flusher begins to write."""
        if self.last_round is not None:
            self.rounds += 1
            self.seconds_between_rounds += now - self.last_round
        self.last_round = now


@dataclass(slots=True)
class DropCount:
    """Messages in transit that were dropped for one reason (protocol.md 7.4)."""

    messages: int = 0
    last_at: UtcTime = NEVER_SET
    text: str = ""
    """Of the last one."""


_NONE: Final = DropCount()


def _none_of_any_priority() -> list[int]:
    return [0] * (PRIORITIES.stop)


@dataclass(slots=True)
class ActivationCounters:
    """Sums of SQLServer:Broker Activation of one database."""

    started: int = 0
    aborted: int = 0
    limit_reached: int = 0
    """Readers that were needed while as many ran as may."""


@dataclass(slots=True)
class BrokerCounters:
    """Sums since the start of the instance; sizes are bodies and 512 bytes a header, as forwarders count."""

    sql_sends: int = 0
    sql_receives: int = 0
    dropped: int = 0
    """Arrived and could not be delivered to a queue; `duplicates` are among them."""
    duplicates: int = 0
    """Copies of what had arrived already, which a sender repeats that waits for its acknowledgement."""
    corrupted: int = 0
    """Arrived and was not what a broker sends; not counted as dropped."""
    enqueued: int = 0
    """Put into service queues."""
    enqueued_from_transport: int = 0
    enqueued_by_priority: list[int] = field(default_factory=_none_of_any_priority)
    """By number; place 0 is not used."""
    transmission_stored: int = 0
    """Rows put into transmission queues."""
    transmission_restored: int = 0
    """Rows that were in transmission queues when the instance was started."""
    transmission_left: dict[DatabaseName, UtcTime] = field(default_factory=dict)
    """When a message last left the transmission queue of a database for having arrived, of those that any has left."""
    route_deliveries: defaultdict[tuple[DatabaseName, RouteName], int] = field(default_factory=lambda: defaultdict(int))
    """Messages that arrived over each route, as acknowledgements say."""
    forwarded_to: defaultdict[NextHop, int] = field(default_factory=lambda: defaultdict(int))
    """Messages in transit that were passed on, by next hop."""
    started_at: UtcTime | None = None
    """When all of this began; None before the host has said so."""
    forwarded: int = 0
    forwarded_bytes: int = 0
    forward_drops: defaultdict[int, DropCount] = field(default_factory=lambda: defaultdict(DropCount))
    """By the number of the reason."""
    fragments_sent: int = 0
    fragments_sent_by_priority: list[int] = field(default_factory=_none_of_any_priority)
    fragment_bytes_sent: int = 0
    fragments_received: int = 0
    fragment_bytes_received: int = 0
    rollbacks: int = 0
    """Transactions that had done something and were rolled back."""
    activation: defaultdict[DatabaseName, ActivationCounters] = field(
        default_factory=lambda: defaultdict(ActivationCounters)
    )
    links: dict[TcpAddress, LinkActivity] = field(default_factory=dict)

    @property
    def forwards_discarded(self) -> int:
        """Messages in transit that were dropped, for whatever reason."""
        return sum(each.messages for each in self.forward_drops.values())

    @property
    def forwards_dropped(self) -> int:
        """Those of `forwards_discarded` that were no mere copies of what was in transit here."""
        return self.forwards_discarded - self.forward_drops.get(DUPLICATE, _NONE).messages

    def forget_routes(self, database: DatabaseName) -> None:
        """Forget the routes of a database."""
        for key in [key for key in self.route_deliveries if key[0] == database]:
            del self.route_deliveries[key]

    def was_dropped_in_transit(self, number: int, text: str, at: UtcTime) -> None:
        """A message for another instance was not passed on."""
        drops = self.forward_drops[number]
        drops.messages += 1
        drops.last_at, drops.text = at, text

    def was_enqueued(self, priority: int) -> None:
        """A message entered a service queue."""
        self.enqueued += 1
        self.enqueued_by_priority[priority] += 1

    def were_sent(self, outbounds: Sequence[Outbound], at: UtcTime) -> None:
        """Messages were handed to their connections, mostly many in a row to one."""
        address: TcpAddress | None = None
        activity = LinkActivity()
        by_priority = self.fragments_sent_by_priority
        all_bytes = 0
        for outbound in outbounds:
            if outbound.address is not address:
                address = outbound.address
                activity = self._activity_of(address, at)
            message = outbound.message.message
            size = FORWARDED_HEADER_BYTES + len(message.body or b"")
            by_priority[message.priority] += 1
            activity.fragments_sent += 1
            activity.bytes_sent += size
            all_bytes += size
        self.fragments_sent += len(outbounds)
        self.fragment_bytes_sent += all_bytes

    def _activity_of(self, address: TcpAddress, at: UtcTime) -> LinkActivity:
        """What is counted of a connection that is used now."""
        activity = self.links.get(address)
        if activity is None:
            activity = self.links[address] = LinkActivity()
        activity.last_activity_time = at
        return activity

    def was_forwarded(self, message: DialogMessage, hop: NextHop) -> None:
        """A message for another instance was passed on."""
        self.forwarded_to[hop] += 1
        self.forwarded += 1
        self.forwarded_bytes += wire_size(message)

    def link_changed(self, address: TcpAddress, state: LinkState, at: UtcTime) -> None:
        """An outgoing connection has another state."""
        if state is LinkState.CLOSED:
            self.links.pop(address, None)
            return
        activity = self.links.setdefault(address, LinkActivity())
        activity.last_activity_time = at
        if state is LinkState.LOGGED_IN:
            activity.login_time = at
        if activity.connect_time is None and state in (LinkState.CONNECTED, LinkState.LOGGED_IN):
            activity.connect_time = at


def wire_size(message: DialogMessage) -> int:
    """What a message is counted with: its body and a header."""
    return len(message.body or b"") + FORWARDED_HEADER_BYTES
