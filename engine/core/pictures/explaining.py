"""`explain_transmission`: why the messages of a conversation wait, and what a retry would do.

Reads only: the decision that a retry would come to is made as for a message that leaves now, and nothing is drawn.
"""

from __future__ import annotations

from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.way_taken import way_of_oldest
from engine.core.exchange.explaining import RetryEnd, RetryOutlook, ToldDecision, TransmissionExplanation
from engine.core.handlers import mirroring, securing, securing_within
from engine.core.handlers.broker import Broker
from engine.core.handlers.session import database_of, no_conversation
from engine.core.routing.decision import ClassifierDecision
from engine.core.transmission.links import Link
from engine.core.vocabulary.errors import status_text
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, EventSequence
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import Instant, Now, UtcTime


def explain_transmission(
    broker: Broker, database: DatabaseName, handle: ConversationHandle, sequence: EventSequence, now: Now
) -> TransmissionExplanation:
    """The explanation of a conversation, without proofs; 911, 8426."""
    name = database_of(broker, database).name
    endpoint = broker.conversations.look_at((name, handle))
    if endpoint is None or endpoint.row.service == BROKER_SERVICE:
        raise no_conversation(broker, name, handle)
    row, waiting = endpoint.row, len(endpoint.sender)
    present = broker.classifier.from_inside(
        name, endpoint.target, now.utc, from_target=not row.is_initiator, before=endpoint.announced, peeks=True
    )
    present = securing.explained(broker, endpoint, present)
    sent, announced = way_of_oldest(endpoint), endpoint.announced if waiting else None
    then = announced if sent is None else sent.decision
    return TransmissionExplanation(
        sequence=sequence,
        at=now.utc,
        database=name,
        conversation_handle=handle,
        state=row.state,
        from_service=row.service,
        to_service=row.far_service,
        to_broker_instance=row.far_broker_instance,
        is_initiator=row.is_initiator,
        contract=row.contract,
        message_type=next((each.message_type_name for each in endpoint.sender.rows()), None),
        encryption=row.is_encryption_wanted,
        waiting=waiting,
        oldest=endpoint.sender.waits_since() if waiting else None,
        number=endpoint.status.number,
        text=endpoint.status.text,
        then=None if then is None else ToldDecision(decision=then),
        waits_since=None if sent is None else sent.at,
        now=ToldDecision(decision=present),
        is_same=then is not None and _leads(then) == _leads(present),
        retry=_outlook(broker, endpoint, present, now),
    )


def _leads(decision: ClassifierDecision) -> tuple[object, ...]:
    """What makes two decisions the same way."""
    return decision.classification, decision.address, decision.database, decision.status


def _outlook(broker: Broker, endpoint: DialogEndpoint, decision: ClassifierDecision, now: Now) -> RetryOutlook:
    """What would come of a retry, in the order in which `outbound.transmit` asks."""
    retries_at = _utc(_next_try(endpoint), now)
    if not endpoint.sender:
        return RetryOutlook(end=RetryEnd.NOTHING_WAITS)
    if endpoint.is_frozen:
        return RetryOutlook(end=RetryEnd.FROZEN, number=endpoint.status.number, text=endpoint.status.text)
    if decision.address is not None:
        return _over_the_network(broker, endpoint, decision, decision.address, now, retries_at)
    if decision.database is not None:
        fault = broker.unavailable.get(decision.database)
        if fault is None:
            fault = securing_within.local_fault(broker, endpoint, decision.database)
        if fault is None:
            return RetryOutlook(end=RetryEnd.DELIVERED, database=decision.database, retries_at=retries_at)
        return _waits(endpoint, fault, retries_at, database=decision.database)
    return _waits(endpoint, decision.status, retries_at)


def _over_the_network(
    broker: Broker,
    endpoint: DialogEndpoint,
    decision: ClassifierDecision,
    address: TcpAddress,
    now: Now,
    retries_at: UtcTime | None,
) -> RetryOutlook:
    if broker.obstacle is not None:
        return _waits(endpoint, broker.obstacle, retries_at, address=address)
    fault = securing.fault_of(broker, endpoint, decision)
    if fault is not None:
        number, principal = fault
        return _waits(endpoint, number, retries_at, address=address, principal=principal)
    pair = mirroring.mirrored_pair(decision)
    if pair is not None:
        monitor = broker.mirrors.find(pair)
        if monitor is None:
            return RetryOutlook(end=RetryEnd.CONNECTS, address=str(address), retries_at=retries_at)
        if monitor.principal is None:
            reason = monitor.waiting_reason()
            detail = reason.detail
            return _waits(endpoint, reason.number, retries_at, address=reason.address, detail=detail)
        address = monitor.principal
    link = broker.links.get(address)
    return RetryOutlook(
        end=RetryEnd.SENT if link is not None and link.is_up else RetryEnd.CONNECTS,
        number=None if link is None else link.error,
        text="" if link is None or link.error is None else _text(endpoint, link.error, address, link.detail),
        address=str(address),
        connection=None if link is None else link.state,
        connects_at=None if link is None else _suppressed_until(link, now),
        retries_at=retries_at,
    )


def _waits(
    endpoint: DialogEndpoint,
    number: int | None,
    retries_at: UtcTime | None,
    *,
    address: TcpAddress | None = None,
    database: DatabaseName | None = None,
    detail: str = "",
    principal: str = "",
) -> RetryOutlook:
    return RetryOutlook(
        end=RetryEnd.WAITS,
        number=number,
        text="" if number is None else _text(endpoint, number, address, detail, principal),
        address=None if address is None else str(address),
        database=database,
        retries_at=retries_at,
    )


def _text(endpoint: DialogEndpoint, number: int, address: TcpAddress | None, detail: str, principal: str = "") -> str:
    return status_text(
        number,
        service=endpoint.row.far_service,
        database=endpoint.database,
        broker_instance=str(endpoint.row.far_broker_instance or ""),
        address=endpoint.row.far_service if address is None else str(address),
        detail=detail,
        value=principal,
    )


def _next_try(endpoint: DialogEndpoint) -> Instant | None:
    """When the engine tries by itself: to classify anew, or to repeat what was not acknowledged."""
    wishes = (endpoint.reclassify_at, endpoint.sender.wake_at())
    return min((at for at in wishes if at is not None), default=None)


def _suppressed_until(link: Link, now: Now) -> UtcTime | None:
    return None if link.suppressed_until is None else _utc(link.suppressed_until, now)


def _utc(at: Instant | None, now: Now) -> UtcTime | None:
    """A monotonic instant as the clock on the wall will show it."""
    return None if at is None else UtcTime(now.utc + (at - now.monotonic))
