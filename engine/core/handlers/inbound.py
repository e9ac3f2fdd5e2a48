"""What arrives: from the network, classified first, or from an endpoint of this very instance (architecture 8(i)).

A message that is taken in is stored before its acknowledgement can leave; one that is refused is told as an
undeliverable message and never acknowledged, so its sender keeps it.
"""

from __future__ import annotations

from msgspec import UNSET

from engine.core.catalog.identity import databases_with
from engine.core.catalog.objects import ERROR_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.states import DialogInput, refusal
from engine.core.exchange.events import MessageClassified
from engine.core.handlers import forwarding, opening
from engine.core.handlers.acknowledging import Receipt, take_acknowledgement
from engine.core.handlers.beginning import open_target
from engine.core.handlers.broker import Broker
from engine.core.handlers.checks import header_fault
from engine.core.handlers.closing import close, fail, move, put_into_queue
from engine.core.handlers.counters import wire_size
from engine.core.handlers.discarding import DUPLICATE, discard
from engine.core.handlers.outbound import (
    answer_with_error,
    flush_acknowledgement,
    transmit,
)
from engine.core.handlers.planning import plan
from engine.core.handlers.prediction import take_expected
from engine.core.handlers.speakers import NOT_ENTITLED, may_begin, may_pass, may_speak
from engine.core.handlers.taking import READING, advance, input_of, owe, take_in_order
from engine.core.routing.decision import Classification, ClassifierDecision
from engine.core.routing.locator import unavailable_reason
from engine.core.routing.precedence import MatchStep
from engine.core.vocabulary.identifiers import MSDB, DatabaseName
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage, ForwardedMessage, MessageKind
from engine.core.vocabulary.rows import ConversationState

_LOCAL = Classification.LOCAL

NO_SUCH_SERVICE_HERE, ENDPOINT_CLOSED, NOT_THE_FIRST = 11210, 11212, 11213
OTHER_CONVERSATION, OTHER_SERVICE, OTHER_SENDER, OTHER_INSTANCE_CONVERSES = 11221, 11222, 11223, 11224
BAD_ACKNOWLEDGEMENT, SECOND_TARGET, FAR_ENDPOINT_GONE = 28010, 8495, 8462


def receive_message(broker: Broker, transit: ForwardedMessage) -> None:
    """A message came in over the network."""
    message = transit.message
    counters = broker.counters
    counters.fragments_received += 1
    counters.fragment_bytes_received += wire_size(message)
    decision = broker.ways_in.of(message.target, broker.now.utc, from_target=not message.from_initiator)
    where = decision.classification
    if where is _LOCAL and decision.database is not None and take_expected(broker, decision.database, message):
        return
    fault = header_fault(message)
    if fault is not None:
        discard(broker, decision.database, message, fault)
        return
    if where is Classification.DROPPED:
        _tell_dropped(broker, message, decision)
    if decision.match_step == MatchStep.BROKER_CONFIGURATION:
        # What arrived is discarded all the same: the sender repeats it, and finds the route then (routing.md E4).
        broker.ask_for_route(MSDB, message.target)
    if decision.database is not None and where is not Classification.REMOTE:
        # A database without the service is asked too: it answers with an error of its own (routing.md E12).
        reason = accept(broker, decision.database, message, is_local=False)
    elif where is Classification.REMOTE and decision.address is not None:
        if may_pass(broker, message):
            forwarding.offer(broker, transit, decision)
            return
        reason = NOT_ENTITLED
    else:
        reason = _reason_of(broker, message, decision)
    waits = reason == NOT_THE_FIRST and broker.waiting_room.offer(message, broker.now.monotonic)
    if reason is not None and not waits:
        discard(broker, decision.database, message, reason)


def _reason_of(broker: Broker, message: DialogMessage, decision: ClassifierDecision) -> int | None:
    """Why nobody here takes a message.

    Where the database it is addressed to is here but out of reach, that is the reason, though the search for the
    service passes over such databases: a mirror copy answers with 28018 (mirroring.md 3).
    """
    if decision.status not in (9793, 9796):
        return decision.status
    if message.target.broker_instance is not None:
        for owner in databases_with(broker.catalog, message.target.broker_instance):
            if (reason := unavailable_reason(owner)) is not None:
                return reason
    known = broker.elsewhere(message.conversation_id, is_initiator=not message.from_initiator)
    if known is not None and known.row.service != message.target.service_name:
        return OTHER_SERVICE
    # Nobody here knows the service: 11210 is what the trace says, the decision's own number is the reason.
    return NO_SUCH_SERVICE_HERE


def _tell_dropped(broker: Broker, message: DialogMessage, decision: ClassifierDecision) -> None:
    """The router found no way for what arrived; of what is taken in or passed on other events tell (routing.md E2)."""
    broker.tell(
        MessageClassified(
            at=broker.now.utc,
            database=None,
            conversation_id=message.conversation_id,
            from_initiator=message.from_initiator,
            to_service=message.target.service_name,
            decision=decision,
        )
    )


def accept(broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> int | None:
    """Take a message into a database of this instance; None when it was taken, else the number of the reason."""
    is_initiator = not message.from_initiator
    known = broker.conversations.side_in(database, message.conversation_id, is_initiator)
    if known is None and broker.conversations.are_outside_of(database):
        known = broker.elsewhere(message.conversation_id, is_initiator=is_initiator)
    if broker.unavailable and (reason := broker.unavailable.get(known.database if known else database)) is not None:
        return reason
    if not is_local and not (
        may_begin(broker, database, message) if known is None else may_speak(broker, known, message)
    ):
        return NOT_ENTITLED
    if not is_local and (message.security is not UNSET or known is None or known.row.security is not None):
        plain = opening.opened(broker, database, known, message)
        if not isinstance(plain, DialogMessage):
            return plain
        message = plain
    if known is not None and (reason := _misfit(broker, known, message)) is not None:
        return reason
    endpoint = known or open_target(broker, database, message, is_local=is_local)
    if isinstance(endpoint, int):
        return endpoint
    if known is None and not is_local:
        endpoint.speaker = broker.speaker
    discarded = _take_with_receipt(broker, endpoint, message, is_local)
    if broker.knows(endpoint):
        _look_again(broker, endpoint, is_local)
    if known is None:
        for later in broker.waiting_room.take(message.conversation_id):
            accept(broker, database, later, is_local=False)
    return discarded


def _misfit(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> int | None:
    """Why a message is none of the conversation whose id it bears; None when it is (protocol.md 19).

    All of it was settled by message 0, and with the acknowledgement of that; only an initiator that has heard of
    nobody yet takes an answer from any copy of the service, and tells every other one that it comes too late (8.6).
    """
    row, source = endpoint.row, message.source
    if message.contract != row.contract or source.service_name != row.far_service:
        return OTHER_CONVERSATION
    if message.target.service_name != row.service:
        return OTHER_SERVICE
    if not row.is_initiator:
        return None if source.broker_instance == row.far_broker_instance else OTHER_SENDER
    if not _is_second_target(endpoint, message):
        return None
    answer_with_error(broker, endpoint.database, message, SECOND_TARGET)
    return OTHER_INSTANCE_CONVERSES


def _is_second_target(endpoint: DialogEndpoint, message: DialogMessage) -> bool:
    """Whether an initiator hears from another copy than the one that acknowledged first (protocol.md 8.6)."""
    pinned = endpoint.row.far_broker_instance
    return pinned is not None and pinned != message.source.broker_instance


def _take_with_receipt(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, is_local: bool) -> int | None:
    """Take a message in with the acknowledgement on its back; answers why something of it was discarded, if it was."""
    # Within one instance a message is acknowledged by being taken, so the guard is armed with it.
    is_acknowledged = message.first_acknowledged or (is_local and message.is_sequenced)
    if is_acknowledged and not endpoint.row.is_initiator:
        broker.arm_guard(endpoint)
    enqueued_before = broker.counters.enqueued
    discarded = _take(broker, endpoint, message, is_local)
    if discarded is None and not is_local:
        broker.counters.enqueued_from_transport += broker.counters.enqueued - enqueued_before
    if is_acknowledged and (discarded is not None or not message.is_sequenced) and broker.knows(endpoint):
        # Nothing else tells that the guard is armed anew.
        broker.stir(endpoint)
    if message.acknowledgement is not None and broker.knows(endpoint):
        discarded = _take_receipt(broker, endpoint, message.acknowledgement, message) or discarded
    return discarded


def _look_again(broker: Broker, endpoint: DialogEndpoint, is_local: bool) -> None:
    """What came may let something go."""
    if not is_local:
        broker.notice(endpoint)
        return
    # What it was refused here may be acknowledged by now: then it waits for nothing.
    is_free = endpoint.reclassify_at is not None and not endpoint.wants_to_send
    (transmit if is_free else plan)(broker, endpoint)


def expire(broker: Broker) -> None:
    """Messages that waited in vain for the first of their dialog are discarded (row 7)."""
    for message in broker.waiting_room.expire(broker.now.monotonic):
        discard(broker, None, message, NOT_THE_FIRST)


def _take_receipt(
    broker: Broker, endpoint: DialogEndpoint, acknowledgement: Acknowledgement, carrier: DialogMessage
) -> int | None:
    """The acknowledgement on a message's back; answers the number of what is wrong with it, if anything."""
    receipt = take_acknowledgement(broker, endpoint, acknowledgement, carrier)
    if receipt is Receipt.END_ACKNOWLEDGED:
        flush_acknowledgement(broker, endpoint)
        close(broker, endpoint)
    return BAD_ACKNOWLEDGEMENT if receipt is Receipt.IMPOSSIBLE else None


def _take(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, is_local: bool) -> int | None:
    if message.kind is MessageKind.ACKNOWLEDGEMENT:
        return None
    if message.sequence is None:
        return _take_broker_error(broker, endpoint, message)
    if endpoint.row.state is ConversationState.ERROR and endpoint.row.error_for_peer is not None:
        # What it sends is not acknowledged: its numbers may not fit ours, and it is to keep what nobody reads.
        answer_with_error(broker, endpoint.database, message, endpoint.row.error_for_peer)
        return ENDPOINT_CLOSED
    if message.sequence < endpoint.receiver.next_number:
        owe(broker, endpoint, is_local, at_once=True)
        return DUPLICATE
    state = endpoint.row.state
    if message.kind is not MessageKind.ERROR and state in READING:
        return take_in_order(broker, endpoint, message, is_local)
    happening = input_of(message)
    number = refusal(state, happening)
    if state is ConversationState.CLOSED:
        answer_with_error(broker, endpoint.database, message, FAR_ENDPOINT_GONE)
    if number is not None:
        return number
    if message.kind is MessageKind.ERROR:
        _take_error(broker, endpoint, message, is_local)
    elif message.sequence == endpoint.receiver.next_number:
        # After our END or an Error nothing is read any more, but the far side must be able to finish (row 17).
        advance(broker, endpoint, happening)
        broker.stir(endpoint)
        owe(broker, endpoint, is_local, at_once=True)
    return None


def _take_broker_error(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> int | None:
    """An Error that a broker made. It is told once, however many messages in flight provoked it."""
    state = endpoint.row.state
    number = refusal(state, DialogInput.RECEIVE_ERROR)
    if state is ConversationState.DISCONNECTED_OUTBOUND:
        _close_unheard(broker, endpoint)
    elif number is None and state is not ConversationState.ERROR:
        fail(broker, endpoint, message.body)
    return number


def _close_unheard(broker: Broker, endpoint: DialogEndpoint) -> None:
    """An Error after our END: nobody is told (row 18). A target stays as replay guard, for copies may be on their way.

    The guard is armed: whoever sends an Error has deleted message 0 and will not send it again (protocol.md 8.5).
    """
    if not endpoint.row.is_initiator:
        broker.arm_guard(endpoint)
    close(broker, endpoint, DialogInput.RECEIVE_ERROR)


def _take_error(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, is_local: bool) -> None:
    """An application's Error: taken at once, ahead of whatever is missing before it (row 11)."""
    number = message.sequence or 0
    broker.forget_early(endpoint)
    endpoint.receiver.skip_to(number + 1)
    endpoint.revise(receive_sequence=endpoint.receiver.next_number)
    broker.touch(endpoint)
    broker.stir(endpoint)
    owe(broker, endpoint, is_local, at_once=True)
    if endpoint.row.state is ConversationState.DISCONNECTED_OUTBOUND:
        flush_acknowledgement(broker, endpoint)
        _close_unheard(broker, endpoint)
    elif move(broker, endpoint, DialogInput.RECEIVE_ERROR):
        put_into_queue(broker, endpoint, number, ERROR_TYPE, message.body)
