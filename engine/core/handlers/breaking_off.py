"""Breaking conversations off from this side: an Error of our own, and one for the peer (protocol.md 8.2, 21 to 26)."""

from __future__ import annotations

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.error_message import error_body
from engine.core.dialog.states import DialogInput, allows
from engine.core.handlers.broker import Broker
from engine.core.handlers.closing import fail_locally
from engine.core.handlers.outbound import send_unsequenced
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, MessageKind
from engine.core.vocabulary.rows import ConversationState


def break_off(broker: Broker, endpoint: DialogEndpoint, number: int, number_for_peer: int) -> bool:
    """End a conversation with an Error here, and tell its peer; answers whether there was anything to end.

    What was in error or closed already stays so: there is nobody left to be told. Of a conversation within one
    database each side is broken off by itself.
    """
    row = endpoint.row
    if row.state is ConversationState.ERROR or not allows(row.state, DialogInput.BROKEN_LOCALLY):
        return False
    if broker.endpoint_in(endpoint.database, row.conversation_id, is_initiator=not row.is_initiator) is None:
        tell_peer(broker, endpoint, number_for_peer)
    fail_locally(broker, endpoint, number)
    return True


def tell_peer(broker: Broker, endpoint: DialogEndpoint, number: int) -> None:
    """A broker-made Error to the far side: unsequenced, sent once; numbers of the two sides may not fit any more.

    As long as nobody has acknowledged anything it is addressed by name, and goes where message 0 went.
    """
    if _is_unheard_of(endpoint):
        return
    row = endpoint.row
    error = DialogMessage(
        conversation_id=row.conversation_id,
        from_initiator=row.is_initiator,
        source=DialogTarget(row.service, endpoint.broker_instance),
        target=endpoint.target,
        kind=MessageKind.ERROR,
        contract=row.contract,
        body=error_body(-number, text_of(number, service=row.service, contract=row.contract)),
        expires_at=row.lifetime,
    )
    way = endpoint.decision if row.far_broker_instance is None else None
    send_unsequenced(broker, endpoint.database, error, way)


def _is_unheard_of(endpoint: DialogEndpoint) -> bool:
    """Whether the far side cannot know of the conversation: nothing of it has ever left."""
    row = endpoint.row
    if not row.is_initiator or row.far_broker_instance is not None:
        return False
    return row.send_sequence == 0 or endpoint.sender.is_untouched(0)
