"""What is for somebody else goes on, one hop poorer, or is dropped with a number (protocol.md 7.4)."""

from __future__ import annotations

from typing import Any

from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import ForwardedMessageDropped, ForwardedMessageSent
from engine.core.handlers.broker import Broker
from engine.core.routing.decision import ClassifierDecision
from engine.core.trace.identifiers import message_id
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.messages import ForwardedMessage, Outbound, TcpAddress

NO_DESTINATION = 11294
_MEGABYTE = 1024 * 1024


def offer(broker: Broker, transit: ForwardedMessage, decision: ClassifierDecision) -> None:
    """A message for another instance arrived: pass it on now, or keep it in memory until its link is up."""
    endpoint = broker.catalog.endpoint
    mirrored = decision.route is not None and decision.route.mirror_address is not None
    if endpoint is None or decision.address is None or mirrored:
        _dropped(broker, transit, NO_DESTINATION)
        return
    bytes_max = endpoint.message_forward_size_megabytes * _MEGABYTE
    reason = broker.transmitter.offer(transit, decision.address, bytes_max, broker.now.monotonic)
    if reason is not None:
        _dropped(broker, transit, reason)
    elif broker.links[decision.address].is_up:
        flush(broker, decision.address)
    else:
        broker.dial(decision.address)


def flush(broker: Broker, address: TcpAddress) -> None:
    """Hand everything that waits for a link to it; a stopped endpoint sends nothing (protocol.md 6)."""
    own = broker.catalog.endpoint
    if own is None or own.state is not EndpointState.STARTED:
        return
    sent, expired = broker.transmitter.take(address, broker.now.monotonic)
    for transit in expired:
        _dropped(broker, transit, 11290)
    for transit in sent:
        broker.send(Outbound(address, transit))
        broker.counters.was_forwarded(transit.message)
        broker.tell(
            ForwardedMessageSent(
                at=broker.now.utc,
                **_described(transit),
                hops_remaining=transit.hops_remaining,
                address=address,
            )
        )


def _described(transit: ForwardedMessage) -> dict[str, Any]:
    """What both events tell of a message in transit."""
    message = transit.message
    return {
        "conversation_id": message.conversation_id,
        "from_initiator": message.from_initiator,
        "to_service": message.target.service_name,
        "message_sequence_number": message.sequence,
        "to_broker_instance": message.target.broker_instance,
        "from_service": message.source.service_name,
        "from_broker_instance": message.source.broker_instance,
        "message_id": message_id(message),
        "time_to_live": transit.time_to_live,
        "time_consumed": transit.time_consumed,
    }


def expire(broker: Broker) -> None:
    """Drop what outlived its time while its link was down."""
    for transit in broker.transmitter.expire(broker.now.monotonic):
        _dropped(broker, transit, 11290)


def _dropped(broker: Broker, transit: ForwardedMessage, number: int) -> None:
    broker.counters.forwards_discarded += 1
    broker.tell(
        ForwardedMessageDropped(
            at=broker.now.utc,
            **_described(transit),
            hops_remaining=transit.hops_remaining,
            number=number,
            text=text_of(number, service=transit.message.target.service_name),
        )
    )
