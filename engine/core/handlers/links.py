"""What the transport reports about outgoing connections, and what follows for those who wait for them."""

from __future__ import annotations

from engine.core.exchange.events import ConnectionStateChanged
from engine.core.handlers import forwarding
from engine.core.handlers.broker import Broker
from engine.core.handlers.outbound import transmit
from engine.core.vocabulary.messages import LinkChange, LinkState


def link_changed(broker: Broker, change: LinkChange) -> None:
    """A connection came up: everything unacknowledged goes again. It went down: whoever waits learns why."""
    link = broker.links.apply(change, broker.now.monotonic)
    if link is None:
        return
    broker.counters.link_changed(change.address, change.state, broker.now.utc)
    broker.tell(
        ConnectionStateChanged(
            at=broker.now.utc,
            address=change.address,
            state=link.state,
            peer=link.peer,
            error=link.error,
            detail=link.detail,
        )
    )
    if change.state not in (LinkState.LOGGED_IN, LinkState.CLOSED):
        return
    if link.is_up:
        forwarding.flush(broker, change.address)
    for key in list(link.conversations):
        endpoint = broker.conversations.live(key)
        if endpoint is None or endpoint.decision is None or endpoint.decision.address != change.address:
            link.conversations.pop(key, None)
            continue
        if link.is_up:
            endpoint.sender.start_over()
        transmit(broker, endpoint)
