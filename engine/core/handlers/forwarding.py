"""What is for somebody else goes on, one hop poorer, or is dropped with a number (protocol.md 7.4)."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.core.catalog.identity import databases_with
from engine.core.catalog.objects import EndpointState
from engine.core.exchange.events import ForwardedMessageDropped, ForwardedMessageSent
from engine.core.forwarding.transmitter import (
    TIME_OVER_WHILE_WAITING,
    NextHop,
)
from engine.core.handlers import mirroring
from engine.core.handlers.broker import Broker
from engine.core.routing.decision import Classification, ClassifierDecision
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.limits import FORWARD_SECONDS_MAX
from engine.core.vocabulary.messages import ForwardedMessage, MessagesReturned, Outbound, TcpAddress
from engine.core.vocabulary.moment import Duration

NOT_SENT, SHUTTING_DOWN, NO_DESTINATION, NO_OTHER_CONNECTION = 11292, 11293, 11294, 28071

_MEGABYTE = 1024 * 1024


def offer(broker: Broker, transit: ForwardedMessage, decision: ClassifierDecision) -> None:
    """A message for another instance arrived: pass it on now, or keep it in memory until its link is up.

    However long its sender would have it wait: memory here is no place for what nobody fetches (protocol.md 7.4).
    """
    if transit.time_to_live > FORWARD_SECONDS_MAX:
        transit = msgspec.structs.replace(transit, time_to_live=Duration(FORWARD_SECONDS_MAX))
    endpoint = broker.catalog.endpoint
    if endpoint is None or decision.address is None:
        _dropped(broker, transit, NO_DESTINATION)
        return
    pair = mirroring.mirrored_pair(decision)
    if pair is None and endpoint.state is EndpointState.STARTED and broker.links[decision.address].is_up:
        # By far the most: the link is up and nothing waits.
        passing = broker.transmitter.passes(transit, _bytes_max(broker))
        if passing is not None:
            _pass_on(broker, passing, decision.address, decision.address)
            return
    hop = pair or decision.address
    reason = broker.transmitter.offer(transit, hop, _bytes_max(broker), broker.now.monotonic)
    if reason is not None:
        _dropped(broker, transit, reason)
        return
    broker.transit_has_grown = True
    _set_out(broker, decision)


def _set_out(broker: Broker, decision: ClassifierDecision) -> None:
    """Something waits for a next hop: hand it over if the link is up, else see to it that it comes up."""
    assert decision.address is not None
    hop = mirroring.mirrored_pair(decision) or decision.address
    monitor = mirroring.engage(broker, decision)
    if monitor is not None:
        if monitor.principal is not None:
            flush(broker, hop, monitor.principal)
    elif broker.links[decision.address].is_up:
        flush(broker, hop, decision.address)
    else:
        broker.dial(decision.address)


def flush(broker: Broker, hop: NextHop, address: TcpAddress) -> None:
    """Hand everything that waits for a next hop to the link towards `address`, which is up.

    A stopped endpoint sends nothing (protocol.md 6).
    """
    own = broker.catalog.endpoint
    if own is None or own.state is not EndpointState.STARTED:
        return
    sent, expired = broker.transmitter.take(hop, broker.now.monotonic)
    for transit in expired:
        _dropped(broker, transit, TIME_OVER_WHILE_WAITING)
    for transit in sent:
        _pass_on(broker, transit, hop, address)


def _pass_on(broker: Broker, transit: ForwardedMessage, hop: NextHop, address: TcpAddress) -> None:
    """Hand one message, its hop already paid for, to a link that is up."""
    broker.send_one(Outbound(address, transit))
    message = transit.message
    broker.counters.was_forwarded(message, hop)
    # Written out, not as `_described` has it: this is done for every message that goes through.
    broker.tell(
        ForwardedMessageSent(
            at=broker.now.utc,
            conversation_id=message.conversation_id,
            from_initiator=message.from_initiator,
            to_service=message.target.service_name,
            message_sequence_number=message.sequence,
            to_broker_instance=message.target.broker_instance,
            from_service=message.source.service_name,
            from_broker_instance=message.source.broker_instance,
            message_kind=message.kind,
            time_to_live=transit.time_to_live,
            time_consumed=transit.time_consumed,
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
        "message_kind": message.kind,
        "time_to_live": transit.time_to_live,
        "time_consumed": transit.time_consumed,
    }


def expire(broker: Broker) -> None:
    """Drop what outlived its time while its link was down."""
    for transit in broker.transmitter.expire(broker.now.monotonic):
        _dropped(broker, transit, TIME_OVER_WHILE_WAITING)


def shut_down(broker: Broker) -> None:
    """The endpoint was stopped or dropped: what was on its way through here is with its sender still."""
    for transit in broker.transmitter.clear(broker.now.monotonic):
        _dropped(broker, transit, SHUTTING_DOWN)


def route_anew(broker: Broker, hop: NextHop | None = None) -> None:
    """Routes have changed, or the link to a hop has failed: what waits goes where the routes lead now.

    What they lead nowhere any more, or to this instance, is dropped (11294); its sender tries again.
    """
    decisions: dict[NextHop, ClassifierDecision] = {}

    def where(transit: ForwardedMessage) -> NextHop | None:
        other, decision = _next_hop(broker, transit)
        if other is not None and other == hop:
            # Equal routes take turns: the link of this one has failed, another one may have its turn now.
            other, decision = _next_hop(broker, transit)
        if other is not None:
            decisions[other] = decision
        return other

    broker.transit_has_grown = True
    for each in broker.transmitter.hops() if hop is None else [hop]:
        for transit in broker.transmitter.move(each, where, broker.now.monotonic):
            _dropped(broker, transit, NO_DESTINATION)
    for decision in decisions.values():
        _set_out(broker, decision)


def returned(broker: Broker, given_back: MessagesReturned) -> None:
    """A connection has not sent what it was given. Own messages are kept by their dialogs; others were in transit.

    Over a connection that is closed they may go by another one; over one that is up and full they do not.
    """
    for transit in given_back.messages:
        source = transit.message.source.broker_instance
        if source is not None and databases_with(broker.catalog, source):
            continue
        if not given_back.is_closed:
            _dropped(broker, transit, NOT_SENT, given_back.address)
            continue
        hop, decision = _next_hop(broker, transit)
        if hop is None:
            _dropped(broker, transit, NO_DESTINATION)
            continue
        # The hop that was paid for did not happen.
        whole = msgspec.structs.replace(transit, hops_remaining=transit.hops_remaining + 1)
        if broker.transmitter.offer(whole, hop, _bytes_max(broker), broker.now.monotonic) is not None:
            _dropped(broker, transit, NO_OTHER_CONNECTION)
            continue
        broker.transit_has_grown = True
        _set_out(broker, decision)


def _next_hop(broker: Broker, transit: ForwardedMessage) -> tuple[NextHop | None, ClassifierDecision]:
    """Where the routes lead a message now; None when not to another instance."""
    message = transit.message
    decision = broker.classifier.from_outside(
        message.target, broker.now.utc, from_target=not message.from_initiator, explain=False
    )
    if decision.classification is not Classification.REMOTE or decision.address is None:
        return None, decision
    return mirroring.mirrored_pair(decision) or decision.address, decision


def _bytes_max(broker: Broker) -> int:
    endpoint = broker.catalog.endpoint
    return 0 if endpoint is None else endpoint.message_forward_size_megabytes * _MEGABYTE


def _dropped(broker: Broker, transit: ForwardedMessage, number: int, address: TcpAddress | None = None) -> None:
    message = transit.message
    text = text_of(
        number,
        service=message.target.service_name,
        limit=_bytes_max(broker) // _MEGABYTE,
        address=None if address is None else str(address),
    )
    broker.counters.was_dropped_in_transit(number, text, broker.now.utc)
    broker.tell(
        ForwardedMessageDropped(
            at=broker.now.utc,
            **_described(transit),
            hops_remaining=transit.hops_remaining,
            number=number,
            text=text,
        )
    )
