"""What leaves an endpoint: classify, then deliver here, send there, or wait with a reason (routing.md 3)."""

from __future__ import annotations

from itertools import islice
from typing import Final

from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.exchange.events import MessageClassified, RemoteAcknowledgementSent
from engine.core.handlers import mirroring, securing, securing_within
from engine.core.handlers.acknowledging import Receipt, take_acknowledgement
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import close
from engine.core.handlers.fault_texts import parameters_of
from engine.core.handlers.handing_over import send, send_acknowledgement, send_pieces
from engine.core.handlers.planning import flows, plan
from engine.core.mirroring.monitor import MirrorMonitor
from engine.core.routing.decision import Classification, ClassifierDecision
from engine.core.routing.precedence import MatchStep
from engine.core.transmission.links import Link
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.limits import LINK_HEADER_BYTES, PRIORITY_LEVEL_DEFAULT
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    MessageKind,
    TcpAddress,
)
from engine.core.vocabulary.moment import Duration, Instant
from engine.core.vocabulary.rows import ConversationState

UNAVAILABLE, ALREADY_THERE = 28012, 11218

_CONVERSING: Final = ConversationState.CONVERSING

DELIVERED_AT_ONCE: Final = 1_000
"""Messages of one conversation that one look delivers here, so that one commit stays small; the others follow."""


def transmit(broker: Broker, endpoint: DialogEndpoint) -> None:
    """Do for an endpoint whatever can be done now, and plan when to look at it again."""
    if endpoint.wants_to_send:
        decision = _decision(broker, endpoint)
        if decision.address is not None:
            # Also to this very instance, as what arrives (routing.md 9); msdb decides again when it is there.
            _send_remote(broker, endpoint, decision, decision.address)
        elif decision.database is not None:
            _deliver_here(broker, endpoint, decision.database)
        else:
            _wait(broker, endpoint, decision)
    else:
        broker.leave_links(endpoint)
        if endpoint.reclassify_at is not None:
            # It was to be classified again and has said all before: whoever speaks next must not take the old way.
            endpoint.reclassify_at = None
            endpoint.decision = None
            broker.set_status(endpoint, None)
    plan(broker, endpoint)


def transmit_if_changed(broker: Broker, endpoint: DialogEndpoint) -> None:
    """As `transmit`, unless there is nothing to say, or only an acknowledgement that is owed later."""
    owed, sender = endpoint.receiver.acknowledge_at, endpoint.sender
    if endpoint.reclassify_at is None and endpoint.row.state is _CONVERSING and not sender:
        if owed is None:
            broker.leave_links(endpoint)
            if endpoint.scheduled_at is not None:
                # It may have been for what has arrived: waking up for nothing costs more than a look now.
                plan(broker, endpoint)
            return
        if owed > broker.now.monotonic and _goes_out(broker, endpoint):
            broker.schedule(endpoint, owed)
            return
    planned = endpoint.scheduled_at
    if owed is None or planned is None or not broker.now.monotonic < planned <= owed or sender.has_work:
        transmit(broker, endpoint)


def _goes_out(broker: Broker, endpoint: DialogEndpoint) -> bool:
    """Whether what an endpoint says goes to another instance by a route that stays, and nothing is in its way."""
    decision = endpoint.decision
    return (
        decision is not None
        and decision.expires_at is None
        and not endpoint.is_cut_off
        and endpoint.status is NOTHING_IN_THE_WAY
        and flows(broker, decision)
    )


def _decision(broker: Broker, endpoint: DialogEndpoint) -> ClassifierDecision:
    """The endpoint's decision; made when there is none, its route expired, or its wait is over."""
    now = broker.now
    decision = endpoint.decision
    before = endpoint.announced
    # Whoever got nowhere tries the next of equally good answers, whoever has a path stays on it (routing.md E9, E10).
    advances = endpoint.is_cut_off or (before is not None and before.classification is Classification.DELAYED)
    if decision is not None:
        over = endpoint.reclassify_at is not None and endpoint.reclassify_at <= now.monotonic
        expired = decision.expires_at is not None and decision.expires_at <= now.utc
        if not over and not expired:
            return decision
        broker.leave_links(endpoint)
    endpoint.reclassify_at = None
    decision = broker.ways_out.of(
        endpoint.database,
        endpoint.target,
        now.utc,
        from_target=not endpoint.row.is_initiator,
        before=before,
        advances=advances,
    )
    decision = securing.explained(broker, endpoint, decision)
    way = endpoint.database, endpoint.row.far_service, endpoint.row.is_initiator
    decision = broker.decisions.shared(way, decision)
    if endpoint.announced is not None and endpoint.announced.address != decision.address:
        endpoint.sender.start_over()
    endpoint.decision = endpoint.announced = decision
    if before != decision:
        broker.shifted[endpoint] = None
        broker.tell(
            MessageClassified(
                at=now.utc,
                database=endpoint.database,
                conversation_id=endpoint.row.conversation_id,
                from_initiator=endpoint.row.is_initiator,
                to_service=endpoint.row.far_service,
                decision=decision,
                from_service=endpoint.row.service,
                to_broker_instance=endpoint.target.broker_instance,
            )
        )
    return decision


def _send_remote(broker: Broker, endpoint: DialogEndpoint, decision: ClassifierDecision, address: TcpAddress) -> None:
    obstacle = broker.obstacle
    if obstacle is not None:
        broker.set_status(endpoint, obstacle, address=str(address))
        return
    is_ready = securing.prepare(broker, endpoint, decision)
    if not is_ready and endpoint.receiver.acknowledge_at is None:
        return
    monitor = mirroring.engage(broker, decision)
    if monitor is not None:
        principal = _principal(broker, endpoint, monitor, is_ready=is_ready)
        if principal is None:
            return
        link, address = broker.links[principal], principal
    else:
        link = _linked(broker, endpoint, address, is_ready=is_ready)
        if not link.is_up:
            return
    _send_over(broker, endpoint, link, address, is_ready=is_ready)


def _linked(broker: Broker, endpoint: DialogEndpoint, address: TcpAddress, *, is_ready: bool) -> Link:
    """The link to the address; unless it is up it is dialled and the endpoint says why it waits.

    One that cannot be secured says that already; it needs the link for what it has to acknowledge.
    """
    link = broker.links[address]
    link.conversations[endpoint.database, endpoint.row.conversation_handle] = None
    endpoint.is_cut_off = not link.is_up and link.error is not None
    if link.is_up:
        return link
    if is_ready:
        broker.set_status(endpoint, link.error, address=str(address), detail=link.detail)
    if endpoint.is_cut_off:
        _reclassify_later(broker, endpoint)
    broker.dial(address)
    return link


def _principal(
    broker: Broker, endpoint: DialogEndpoint, monitor: MirrorMonitor, *, is_ready: bool
) -> TcpAddress | None:
    """The partner that claims to be the principal; while none does the endpoint says why it waits (mirroring.md 3)."""
    monitor.users[endpoint.database, endpoint.row.conversation_handle] = None
    endpoint.is_cut_off = monitor.is_cut_off
    if monitor.principal is not None:
        return monitor.principal
    if is_ready:
        reason = monitor.waiting_reason()
        service = endpoint.row.far_service
        broker.set_status(endpoint, reason.number, address=str(reason.address), detail=reason.detail, service=service)
    if endpoint.is_cut_off:
        _reclassify_later(broker, endpoint)
    return None


def _send_over(broker: Broker, endpoint: DialogEndpoint, link: Link, address: TcpAddress, *, is_ready: bool) -> None:
    """Everything that is due goes over a link that is up; without a key only an acknowledgement does.

    What was transmitted before is repeated also over a full link: it is little, and its deadline would not wait.
    """
    if is_ready:
        broker.set_status(endpoint, None)
    now = broker.now.monotonic
    link_has_room = link.room > 0
    way = link.way_to(endpoint.row.far_broker_instance, broker.settings.link.passage_bytes)
    has_room = link_has_room and way.takes_more
    sender = None if endpoint.is_frozen or not is_ready else endpoint.sender
    if sender is not None:
        sender.passage = way
    pieces = [] if sender is None else sender.due(now, takes_new=has_room)
    priority = _send_priority(broker, endpoint)
    if pieces:
        send_pieces(broker, endpoint, pieces, address, priority)
        link.room -= sum([LINK_HEADER_BYTES + piece.size for piece in pieces])
        # What goes again is told of by the time at which it left first.
        if (size := sum([LINK_HEADER_BYTES + piece.size for piece in pieces if piece.attempts == 1])) > 0:
            way.has_left(now, size)
        if link_has_room and link.room <= 0:
            broker.want_room(address)
    if not has_room and sender is not None and sender.has_new:
        key = (endpoint.database, endpoint.row.conversation_handle)
        if not link_has_room:
            link.turned_away.join(key, priority)
        else:
            broker.links.turn_away(link, way, key, priority)
            if way.has_room:
                broker.opened[way] = None
    owed = endpoint.receiver.acknowledge_at
    if pieces:
        if owed is not None:
            first = pieces[0].row
            _tell_acknowledged(broker, endpoint, first.kind, first.message_sequence_number)
        endpoint.receiver.acknowledged()
    elif owed is not None and owed <= now:
        send_acknowledgement(broker, endpoint, address, priority)
        _tell_acknowledged(broker, endpoint, MessageKind.ACKNOWLEDGEMENT, None)
        endpoint.receiver.acknowledged()


def _tell_acknowledged(broker: Broker, endpoint: DialogEndpoint, carrier: MessageKind, number: int | None) -> None:
    broker.tell(
        RemoteAcknowledgementSent(
            at=broker.now.utc,
            database=endpoint.database,
            conversation_handle=endpoint.row.conversation_handle,
            up_to=endpoint.receiver.up_to,
            carrier=carrier,
            carrier_number=number,
        )
    )


def _send_priority(broker: Broker, endpoint: DialogEndpoint) -> int:
    """The level of the endpoint with HONOR_BROKER_PRIORITY ON, else 5 (protocol.md 11).

    A new setting is not for messages that wait already: the first of them leave as they would have before.
    """
    is_honoured = broker.catalog.databases[endpoint.database].is_priority_honoured
    now = endpoint.row.priority if is_honoured else PRIORITY_LEVEL_DEFAULT
    before, endpoint.send_priority = endpoint.send_priority, now
    return now if before is None else before


def _deliver_here(broker: Broker, endpoint: DialogEndpoint, database: DatabaseName) -> None:
    """Same instance: straight into the destination queue, no network, no waiting (routing.md 3.4)."""
    if endpoint.receiver.acknowledge_at is not None:
        # What we acknowledge came over the network, by another route than the one back.
        endpoint.receiver.acknowledged()
        broker.accept(broker, database, endpoint.acknowledgement_message(), is_local=True)
        if not broker.knows(endpoint):
            return
    if endpoint.reclassify_at is not None:
        # The last refusal stands until then; asking again for every message would cost the whole backlog each time.
        return
    fault = securing_within.local_fault(broker, endpoint, database)
    if fault is not None:
        broker.set_status(endpoint, fault, database=endpoint.database)
        _reclassify_later(broker, endpoint)
        return
    far_id = broker.catalog.databases[database].broker_instance
    if len(endpoint.sender) > DELIVERED_AT_ONCE:
        broker.schedule(endpoint, broker.now.monotonic)
    for row in islice(endpoint.sender.rows(), DELIVERED_AT_ONCE) if not endpoint.is_frozen else ():
        message = endpoint.message(row)
        refusal = broker.accept(broker, database, message, is_local=True)
        if endpoint.is_frozen or not broker.knows(endpoint):
            return
        if refusal not in (None, ALREADY_THERE):
            _refused_here(broker, endpoint, message, refusal, database)
            return
        number = row.message_sequence_number
        if number == 0 or endpoint.row.security is not None:
            securing_within.delivered_directly(broker, endpoint, database)
        if take_acknowledgement(broker, endpoint, Acknowledgement(number, number, far_id)) is Receipt.END_ACKNOWLEDGED:
            close(broker, endpoint)
            return
    broker.set_status(endpoint, None)


def _refused_here(
    broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, refusal: int | None, database: DatabaseName
) -> None:
    """The destination is in this instance but takes nothing now: the sender keeps its messages and asks again."""
    broker.set_status(
        endpoint,
        UNAVAILABLE,
        service=endpoint.row.far_service,
        detail=text_of(refusal, **parameters_of(broker, database, message, refusal)) if refusal else "",
        database=database,
    )
    _reclassify_later(broker, endpoint)


def _wait(broker: Broker, endpoint: DialogEndpoint, decision: ClassifierDecision) -> None:
    if decision.match_step == MatchStep.BROKER_CONFIGURATION:
        broker.ask_for_route(decision.table, endpoint.target)
        securing.asks_for_binding(broker, endpoint)
    broker.set_status(
        endpoint,
        decision.status,
        service=endpoint.row.far_service,
        database=endpoint.database,
        broker_instance=str(endpoint.row.far_broker_instance or decision.broker_instance or ""),
        address=endpoint.row.far_service,
        # Of a database that is here only its being offline has no number of its own (routing.md 3.3).
        detail="its database is offline",
    )
    _reclassify_later(broker, endpoint)


def _reclassify_later(broker: Broker, endpoint: DialogEndpoint) -> None:
    if endpoint.reclassify_at is None:
        endpoint.reclassify_at = Instant(broker.now.monotonic + broker.settings.dialog.reclassify_seconds)


def flush_acknowledgement(broker: Broker, endpoint: DialogEndpoint) -> None:
    """Send an owed acknowledgement now: the endpoint is about to go, and the peer would repeat itself for nothing."""
    if endpoint.receiver.acknowledge_at is not None:
        endpoint.receiver.acknowledge_at = broker.now.monotonic
        transmit(broker, endpoint)


def reclassify_soon(broker: Broker) -> None:
    """Something that routing looks at has changed: every conversation with a message to send is classified again soon.

    All others are when they next need a path, also for an acknowledgement that is owed: whether one is owed still
    depends on what it could ride on, and the path of messages must not.
    """
    at = Instant(broker.now.monotonic + broker.settings.dialog.reclassify_check_seconds)
    for endpoint in broker.conversations.all_live():
        if endpoint.has_messages_to_send:
            endpoint.reclassify_at = at if endpoint.reclassify_at is None else min(at, endpoint.reclassify_at)
        else:
            broker.leave_links(endpoint)
            endpoint.decision = None
        if endpoint.wants_to_send:
            plan(broker, endpoint)


def answer_with_error(broker: Broker, database: DatabaseName, message: DialogMessage, number: int) -> None:
    """A broker-made Error back to where `message` came from: unsequenced, sent once, never stored (protocol.md 2)."""
    source = DialogTarget(message.target.service_name, broker.catalog.databases[database].broker_instance)
    error = DialogMessage(
        conversation_id=message.conversation_id,
        from_initiator=not message.from_initiator,
        source=source,
        target=message.source,
        kind=MessageKind.ERROR,
        contract=message.contract,
        body=error_body(-number, text_of(number, **parameters_of(broker, database, message, number))),
        expires_at=message.expires_at,
    )
    send_unsequenced(broker, database, error)


def send_unsequenced(
    broker: Broker, database: DatabaseName, message: DialogMessage, way: ClassifierDecision | None = None
) -> None:
    """Send a message that nobody keeps: lost when its link is down, made again when the peer repeats itself.

    It goes by a decision that was made for its conversation before, or by a new one.
    """
    decision = way or broker.classifier.from_inside(
        database, message.target, broker.now.utc, from_target=not message.from_initiator
    )
    if decision.address is None and decision.database is not None:
        broker.accept(broker, decision.database, message, is_local=True)
    elif decision.address is not None and broker.obstacle is None:
        # Nobody keeps this message; when the peer repeats what provoked it, the principal must still be known.
        repeats_within = Duration(2 * broker.settings.dialog.retry_seconds[-1])
        monitor = mirroring.engage(broker, decision, at_least=repeats_within)
        if monitor is not None:
            if monitor.principal is not None:
                send(broker, database, message, monitor.principal)
        elif broker.links[decision.address].is_up:
            send(broker, database, message, decision.address)
        else:
            broker.dial(decision.address)
    elif decision.match_step == MatchStep.BROKER_CONFIGURATION:
        # Acknowledgements and errors are routed like any message (routing.md E39); the next one meets the new route.
        broker.ask_for_route(decision.table, message.target)
