"""What leaves an endpoint: classify, then deliver here, send there, or wait with a reason (routing.md 3)."""

from __future__ import annotations

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.sender import Piece
from engine.core.exchange.events import MessageClassified, RemoteAcknowledgementSent
from engine.core.handlers import mirroring, securing
from engine.core.handlers.acknowledging import Receipt, take_acknowledgement
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import close
from engine.core.handlers.planning import plan
from engine.core.mirroring.monitor import MirrorMonitor
from engine.core.routing.decision import Classification, ClassifierDecision
from engine.core.routing.precedence import MatchStep
from engine.core.vocabulary.errors import Parameter, text_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.limits import FORWARD_SECONDS_MAX, HOPS_MAX, PRIORITY_LEVEL_DEFAULT
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    MessageKind,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.moment import Duration, Instant, UtcTime

UNAVAILABLE, ALREADY_THERE = 28012, 11218


def transmit(broker: Broker, endpoint: DialogEndpoint) -> None:
    """Do for an endpoint whatever can be done now, and plan when to look at it again."""
    if endpoint.wants_to_send:
        decision = _decision(broker, endpoint)
        if decision.classification is Classification.REMOTE and decision.address is not None:
            _send_remote(broker, endpoint, decision, decision.address)
        elif decision.database is not None:
            # A database without the service is asked too when msdb decided: it answers with an error (routing.md E12).
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
    """As `transmit`, unless all that changed is an acknowledgement that is owed later than the next look anyway."""
    owed = endpoint.receiver.acknowledge_at
    planned = endpoint.scheduled_at
    if owed is None or planned is None or not broker.now.monotonic < planned <= owed or endpoint.sender.has_work:
        transmit(broker, endpoint)


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
    decision = broker.classifier.from_inside(
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
        broker.tell(
            MessageClassified(
                at=now.utc,
                database=endpoint.database,
                conversation_id=endpoint.row.conversation_id,
                from_initiator=endpoint.row.is_initiator,
                to_service=endpoint.row.far_service,
                decision=decision,
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
        hop = _principal(broker, endpoint, monitor, is_ready=is_ready)
    else:
        hop = _linked(broker, endpoint, address, is_ready=is_ready)
    if hop is not None:
        _send_over(broker, endpoint, hop, is_ready=is_ready)


def _linked(broker: Broker, endpoint: DialogEndpoint, address: TcpAddress, *, is_ready: bool) -> TcpAddress | None:
    """The address if its link is up; else it is dialled and the endpoint says why it waits.

    One that cannot be secured says that already; it needs the link for what it has to acknowledge.
    """
    link = broker.links[address]
    link.conversations[endpoint.database, endpoint.row.conversation_handle] = None
    endpoint.is_cut_off = not link.is_up and link.error is not None
    if link.is_up:
        return address
    if is_ready:
        broker.set_status(endpoint, link.error, address=str(address), detail=link.detail)
    if endpoint.is_cut_off:
        _reclassify_later(broker, endpoint)
    broker.dial(address)
    return None


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


def _send_over(broker: Broker, endpoint: DialogEndpoint, address: TcpAddress, *, is_ready: bool) -> None:
    """Everything that is due goes over a link that is up; without a key only an acknowledgement does."""
    if is_ready:
        broker.set_status(endpoint, None)
    now = broker.now.monotonic
    pieces = endpoint.sender.due(now) if is_ready and not endpoint.is_frozen else []
    priority = _send_priority(broker, endpoint)
    if pieces:
        _send_pieces(broker, endpoint, pieces, address, priority)
    owed = endpoint.receiver.acknowledge_at
    if pieces:
        if owed is not None:
            first = pieces[0].row
            _tell_acknowledged(broker, endpoint, first.kind, first.message_sequence_number)
        endpoint.receiver.acknowledged()
    elif owed is not None and owed <= now:
        _send(broker, endpoint.database, endpoint.acknowledgement_message(), address, priority)
        _tell_acknowledged(broker, endpoint, MessageKind.ACKNOWLEDGEMENT, None)
        endpoint.receiver.acknowledged()


def _send_pieces(
    broker: Broker, endpoint: DialogEndpoint, pieces: list[Piece], address: TcpAddress, priority: int
) -> None:
    """Hand over pieces of one conversation, each secured when the dialog is."""
    messages = endpoint.travelling(pieces)
    if endpoint.session is not None or securing.is_secured(endpoint):
        secured = (securing.secured(broker, endpoint.database, message) for message in messages)
        messages = [message for message in secured if message is not None]
    lives = _time_to_live(broker, endpoint.row.lifetime)
    broker.send(
        [
            Outbound(address, ForwardedMessage(message=message, hops_remaining=HOPS_MAX, time_to_live=lives))
            for message in messages
        ],
        priority,
    )


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


def _send(
    broker: Broker,
    database: DatabaseName,
    message: DialogMessage,
    address: TcpAddress,
    priority: int = PRIORITY_LEVEL_DEFAULT,
) -> None:
    """Hand a message over, secured when its dialog is; one whose key cannot be had does not leave."""
    ready = securing.secured(broker, database, message)
    if ready is not None:
        lives = _time_to_live(broker, ready.expires_at)
        transit = ForwardedMessage(message=ready, hops_remaining=HOPS_MAX, time_to_live=lives)
        broker.send((Outbound(address, transit),), priority)


def _time_to_live(broker: Broker, expires_at: UtcTime) -> Duration:
    """Seconds that a message may be under way."""
    return Duration(min(max(0.0, expires_at - broker.now.utc), FORWARD_SECONDS_MAX))


def _deliver_here(broker: Broker, endpoint: DialogEndpoint, database: DatabaseName) -> None:
    """Same instance: straight into the destination queue, no network, no waiting (routing.md 3.4)."""
    endpoint.receiver.acknowledged()
    if endpoint.reclassify_at is not None:
        # The last refusal stands until then; asking again for every message would cost the whole backlog each time.
        return
    fault = securing.local_fault(broker, endpoint, database)
    if fault is not None:
        broker.set_status(endpoint, fault, database=endpoint.database)
        _reclassify_later(broker, endpoint)
        return
    far_id = broker.catalog.databases[database].broker_instance
    for row in list(endpoint.sender.rows()) if not endpoint.is_frozen else ():
        refusal = broker.accept(broker, database, endpoint.message(row), is_local=True)
        if endpoint.is_frozen or not broker.knows(endpoint):
            return
        if refusal not in (None, ALREADY_THERE):
            _refused_here(broker, endpoint, refusal, database)
            return
        number = row.message_sequence_number
        if take_acknowledgement(broker, endpoint, Acknowledgement(number, number, far_id)) is Receipt.END_ACKNOWLEDGED:
            close(broker, endpoint)
            return
    broker.set_status(endpoint, None)


def _refused_here(broker: Broker, endpoint: DialogEndpoint, refusal: int | None, database: DatabaseName) -> None:
    """The destination is in this instance but takes nothing now: the sender keeps its messages and asks again."""
    broker.set_status(
        endpoint,
        UNAVAILABLE,
        service=endpoint.row.far_service,
        detail=text_of(refusal) if refusal else "",
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
    """Something that routing looks at has changed: every conversation with something to send is classified again."""
    at = Instant(broker.now.monotonic + broker.settings.dialog.reclassify_check_seconds)
    for endpoint in broker.conversations.all_live():
        if endpoint.wants_to_send:
            endpoint.reclassify_at = at if endpoint.reclassify_at is None else min(at, endpoint.reclassify_at)
            plan(broker, endpoint)
        else:
            broker.leave_links(endpoint)
            endpoint.decision = None


def answer_with_error(
    broker: Broker, database: DatabaseName, message: DialogMessage, number: int, **parameters: Parameter
) -> None:
    """A broker-made Error back to where `message` came from: unsequenced, sent once, never stored (protocol.md 2)."""
    source = DialogTarget(message.target.service_name, broker.catalog.databases[database].broker_instance)
    error = DialogMessage(
        conversation_id=message.conversation_id,
        from_initiator=not message.from_initiator,
        source=source,
        target=message.source,
        kind=MessageKind.ERROR,
        contract=message.contract,
        body=error_body(-number, text_of(number, **parameters)),
        expires_at=message.expires_at,
    )
    send_unsequenced(broker, database, error)


def send_unsequenced(broker: Broker, database: DatabaseName, message: DialogMessage) -> None:
    """Send a message that nobody keeps: lost when its link is down, made again when the peer repeats itself."""
    decision = broker.classifier.from_inside(
        database, message.target, broker.now.utc, from_target=not message.from_initiator
    )
    if decision.classification is Classification.LOCAL and decision.database is not None:
        broker.accept(broker, decision.database, message, is_local=True)
    elif decision.address is not None and broker.obstacle is None:
        # Nobody keeps this message; when the peer repeats what provoked it, the principal must still be known.
        repeats_within = Duration(2 * broker.settings.dialog.retry_seconds[-1])
        monitor = mirroring.engage(broker, decision, at_least=repeats_within)
        if monitor is not None:
            if monitor.principal is not None:
                _send(broker, database, message, monitor.principal)
        elif broker.links[decision.address].is_up:
            _send(broker, database, message, decision.address)
        else:
            broker.dial(decision.address)
    elif decision.match_step == MatchStep.BROKER_CONFIGURATION:
        # Acknowledgements and errors are routed like any message (routing.md E39); the next one meets the new route.
        broker.ask_for_route(decision.table, message.target)
