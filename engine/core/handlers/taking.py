"""Taking arrivals in order: ready, or held with status 2 until what is missing has come (protocol.md 3.1, 3.3)."""

from __future__ import annotations

import msgspec

from engine.core.catalog.objects import DEFAULT_TYPE, END_DIALOG_TYPE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.receiver import Arrival
from engine.core.dialog.states import DialogInput, next_state
from engine.core.handlers.broker import Broker
from engine.core.handlers.checks import body_fault, message_fault
from engine.core.handlers.closing import move, put_into_queue, tell_delivered
from engine.core.handlers.discarding import DUPLICATE
from engine.core.handlers.opening import opened_whole
from engine.core.handlers.outbound import answer_with_error
from engine.core.handlers.prediction import expect_another
from engine.core.vocabulary.identifiers import MessageTypeName
from engine.core.vocabulary.messages import DialogMessage, MessageKind
from engine.core.vocabulary.rows import ConversationState, QueueRowStatus

OUT_OF_SEQUENCE, UNFITTING_FRAGMENT, NO_MEMORY = 11217, 11298, 701

READING = frozenset({ConversationState.STARTED_INBOUND, ConversationState.CONVERSING})
"""States in which arriving messages go into the queue."""

_REFUSED = {
    Arrival.TOO_EARLY: OUT_OF_SEQUENCE,
    Arrival.UNFITTING: UNFITTING_FRAGMENT,
    Arrival.NO_ROOM: NO_MEMORY,
}


def take_in_order(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, is_local: bool) -> int | None:
    """Take a numbered message or fragment into the queue; answers the number of why it was discarded, if it was."""
    assert message.sequence is not None, "unsequenced messages have no place in the order"
    use = broker.uses.of(endpoint.database, message.contract, message.message_type or DEFAULT_TYPE)
    fault = message_fault(message, use, broker.settings.dialog.message_bytes_max)
    if fault is not None:
        answer_with_error(broker, endpoint.database, message, fault)
        return fault
    receiver = endpoint.receiver
    if message.fragment is None and not receiver.has_held and message.sequence == receiver.next_number:
        # By far the most: nothing waits, nothing is missing.
        _deliver(broker, endpoint, message)
        if not is_local:
            receiver.owe(broker.now.monotonic, len(message.body or b""))
            expect_another(broker, endpoint, message)
        return None
    if message.fragment is None and receiver.has_fragments_of_next(message.sequence):
        # The route has changed to one within this instance, on which messages travel whole.
        _give_up_fragments(broker, endpoint)
    size = len(message.body or b"")
    arrival = receiver.classify(message.sequence, message.fragment, size)
    if arrival in _REFUSED:
        return _REFUSED[arrival]
    opens_gap = arrival is Arrival.EARLY and not receiver.has_gap
    refusal = _place(broker, endpoint, message, arrival)
    if refusal is None or refusal == DUPLICATE:
        release_held(broker, endpoint, message)
        closes_gap = arrival is Arrival.NEXT and receiver.has_gap
        owe(broker, endpoint, is_local, size, at_once=opens_gap or closes_gap or refusal == DUPLICATE)
    return refusal


def _place(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, arrival: Arrival) -> int | None:
    """Put one arrival where it belongs."""
    fragment = message.fragment
    if arrival is Arrival.DUPLICATE:
        return DUPLICATE
    if arrival is Arrival.EARLY or (fragment is not None and not endpoint.receiver.lacks_only(fragment)):
        _hold(broker, endpoint, message)
        return None
    if fragment is not None:
        return _complete(broker, endpoint, message, fragment.number)
    _deliver(broker, endpoint, message)
    return None


def _hold(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> None:
    """Early, or one of several fragments: into the queue with status 2, where RECEIVE does not see it."""
    number = message.sequence or 0
    row = put_into_queue(
        broker, endpoint, number, _type_of(message), message.body, QueueRowStatus.DISABLED, message.fragment
    )
    endpoint.receiver.hold(row)
    broker.stir(endpoint)
    if message.fragment is not None:
        move(broker, endpoint, DialogInput.RECEIVE_FRAGMENT)


def _complete(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, position: int) -> int | None:
    """Put the next message together from the fragments held and the one that has just come, which is not stored."""
    _, queue = broker.queue_of(endpoint)
    bodies = [row.message_body or b"" for row in queue.rows_at(endpoint.receiver.places_of_fragments())]
    bodies.insert(position, message.body or b"")
    whole = opened_whole(broker, endpoint, msgspec.structs.replace(message, body=b"".join(bodies), fragment=None))
    if whole is None:
        # One of the fragments is not genuine, and nobody knows which: the message counts as never arrived.
        _give_up_fragments(broker, endpoint)
        owe(broker, endpoint, is_local=False, at_once=True)
        return None
    fault = _fault_of_whole(broker, endpoint, whole)
    if fault is None:
        _give_up_fragments(broker, endpoint)
        _deliver(broker, endpoint, whole)
    # After a fault the other fragments stay: the sender repeats the last one, and is answered again.
    return fault


def _fault_of_whole(broker: Broker, endpoint: DialogEndpoint, whole: DialogMessage) -> int | None:
    """Why the content is not valid; its sender is told (protocol.md 13)."""
    fault = body_fault(broker.catalog.databases[endpoint.database], _type_of(whole), whole.body)
    if fault is not None:
        answer_with_error(broker, endpoint.database, whole, fault)
    return fault


def _deliver(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> None:
    """The next message, whole: ready to be received."""
    put_into_queue(broker, endpoint, message.sequence or 0, _type_of(message), message.body)
    advance(broker, endpoint, input_of(message))


def _type_of(message: DialogMessage) -> MessageTypeName:
    return END_DIALOG_TYPE if message.kind is MessageKind.END_DIALOG else message.message_type or DEFAULT_TYPE


def input_of(message: DialogMessage) -> DialogInput:
    """What a numbered message is to the state of its endpoint."""
    if message.kind is MessageKind.USER:
        return DialogInput.RECEIVE_MESSAGE if message.fragment is None else DialogInput.RECEIVE_FRAGMENT
    return DialogInput.RECEIVE_END_DIALOG if message.kind is MessageKind.END_DIALOG else DialogInput.RECEIVE_ERROR


def advance(broker: Broker, endpoint: DialogEndpoint, happening: DialogInput) -> None:
    """The next number has come; the endpoint goes on to its next state."""
    number = endpoint.receiver.advance()
    endpoint.row = msgspec.structs.replace(endpoint.row, receive_sequence=number)
    broker.touch(endpoint)
    state = endpoint.row.state
    if next_state(state, happening) is not state:
        move(broker, endpoint, happening)


def release_held(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> None:
    """What was held behind the message that came becomes ready in its turn."""
    if not endpoint.receiver.has_held:
        return
    name, queue = broker.queue_of(endpoint)
    while endpoint.row.state in READING:
        order = endpoint.receiver.release()
        if order is not None:
            row = queue.make_ready(order)
            broker.queue_row_ready(endpoint.database, name, order)
            tell_delivered(broker, endpoint.database, name, row)
            is_end = row.message_type_name == END_DIALOG_TYPE
            advance(broker, endpoint, DialogInput.RECEIVE_END_DIALOG if is_end else DialogInput.RECEIVE_MESSAGE)
        elif not endpoint.receiver.resume() or not _complete_held(broker, endpoint, message):
            return


def _complete_held(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> bool:
    """Every fragment of the next message came before its turn; answers whether it was delivered."""
    _, queue = broker.queue_of(endpoint)
    rows = queue.rows_at(endpoint.receiver.places_of_fragments())
    whole = msgspec.structs.replace(
        message,
        kind=MessageKind.USER,
        sequence=rows[0].message_sequence_number,
        message_type=rows[0].message_type_name,
        body=b"".join(row.message_body or b"" for row in rows),
        fragment=None,
    )
    plain = opened_whole(broker, endpoint, whole)
    fault = None if plain is None else _fault_of_whole(broker, endpoint, plain)
    # Nothing of it was acknowledged in order, so after a fault the sender still has all of it.
    _give_up_fragments(broker, endpoint)
    if plain is None or fault is not None:
        return False
    _deliver(broker, endpoint, plain)
    return True


def _give_up_fragments(broker: Broker, endpoint: DialogEndpoint) -> None:
    name, _ = broker.queue_of(endpoint)
    broker.remove_queue(endpoint.database, name, endpoint.receiver.places_of_fragments())
    endpoint.receiver.forget_fragments()
    broker.stir(endpoint)


def owe(broker: Broker, endpoint: DialogEndpoint, is_local: bool, size: int = 0, *, at_once: bool = False) -> None:
    """An acknowledgement is owed, unless the sender is this very instance and knows already."""
    if not is_local:
        endpoint.receiver.owe(broker.now.monotonic, size, at_once=at_once)
