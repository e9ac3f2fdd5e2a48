"""`LinkKeeper`: the outgoing connections of an instance, and what is told of them and of what waits for them."""

from __future__ import annotations

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import ConnectionStateChanged
from engine.core.exchange.silent_events import ForwardedMessagesWait
from engine.core.forwarding.transmitter import TransmitterQueue
from engine.core.handlers.counters import BrokerCounters
from engine.core.handlers.sum_keeping import SumKeeper
from engine.core.transmission.links import LinkBook
from engine.core.vocabulary.message_memory import MessageMemory
from engine.core.vocabulary.messages import LinkState, TcpAddress
from engine.core.vocabulary.settings import EngineSettings


class LinkKeeper(SumKeeper):
    """Links, what waits for them in transit, and what went over them."""

    def __init__(self, catalog: InstanceCatalog, memory: MessageMemory, settings: EngineSettings) -> None:
        self.links = LinkBook(settings.link)
        self.transmitter = TransmitterQueue()
        self.counters = BrokerCounters()
        super().__init__(catalog, memory, settings.dialog.closed_target_guard_seconds)

    def dial(self, address: TcpAddress) -> None:
        """Ask for a connection, unless one is there, under way, or suppressed, or our own endpoint is not started."""
        own = self.catalog.endpoint
        if own is None or own.state is not EndpointState.STARTED:
            return
        if self.links.may_dial(address, self.now.monotonic):
            self.links.dialling(address)
            self.counters.links.pop(address, None)
            self._dials[address] = None

    def hang_up_all(self) -> None:
        """Close every outgoing connection."""
        for address in self.links.hang_up_all():
            self._hang_ups.append(address)
            self.tell_connection(address)

    def forget_unused_links(self) -> None:
        """Of very many destinations those are forgotten that nobody waits for."""
        for address in self.links.forget_unused(self.transmitter.holds):
            self.counters.links.pop(address, None)
            self._tell(address, LinkState.NEW)

    def tell_connection(self, address: TcpAddress) -> None:
        """An outgoing connection has another state."""
        link = self.links[address]
        link.told = link.state
        self._tell(address, link.state)

    def _tell(self, address: TcpAddress, state: LinkState) -> None:
        link = self.links.get(address)
        self.tell(
            ConnectionStateChanged(
                at=self.now.utc,
                address=address,
                state=state,
                peer=None if link is None else link.peer,
                error=None if link is None else link.error,
                detail="" if link is None else link.detail,
            )
        )

    def tell_silent(self) -> None:
        """Tell what has changed of which no other event tells; what has begun to wait in transit is told once."""
        super().tell_silent()
        waiting, self.transit_has_grown = len(self.transmitter), False
        if waiting:
            self.tell(ForwardedMessagesWait(at=self.now.utc, messages=waiting, bytes=self.transmitter.bytes))
