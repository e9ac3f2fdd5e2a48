"""What an acknowledgement does to the sender: rows leave, the far id is pinned, an END completes (protocol.md 3.4)."""

from __future__ import annotations

from enum import Enum, auto

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.events import RemoteMessageAcknowledged
from engine.core.handlers import securing
from engine.core.handlers.broker import Broker
from engine.core.transmission.way import Way
from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.messages import Acknowledgement, DialogMessage
from engine.core.vocabulary.rows import ConversationState


@plain_members
class Receipt(Enum):
    """What came of an acknowledgement."""

    TAKEN = auto()
    IMPOSSIBLE = auto()
    """It acknowledges what was never sent (28010)."""
    END_ACKNOWLEDGED = auto()
    """Our EndDialog or Error has arrived."""


def take_acknowledgement(
    broker: Broker,
    endpoint: DialogEndpoint,
    acknowledgement: Acknowledgement,
    carrier: DialogMessage | None = None,
) -> Receipt:
    """Forget what the far end has stored; the first one pins the initiator to the database that sent it."""
    if is_impossible(endpoint, acknowledgement):
        return Receipt.IMPOSSIBLE
    if endpoint.row.is_initiator and endpoint.row.far_broker_instance is None and _is_stored_there(acknowledgement):
        _pin(broker, endpoint, acknowledgement)
    seen = acknowledgement.highest_seen, acknowledgement.highest_seen_fragment
    sender = endpoint.sender
    waiting = len(sender)
    sender.acknowledge(acknowledgement.up_to, acknowledgement.fragments, seen, broker.now.monotonic)
    if isinstance(way := sender.passage, Way) and way.lets_in:
        broker.opened[way] = None
    if len(sender) < waiting:
        broker.trim_transmission(endpoint, acknowledgement.up_to)
        broker.counters.transmission_left[endpoint.database] = broker.now.utc
        if (route := endpoint.route_taken) is not None:
            broker.counters.route_deliveries[endpoint.database, route] += waiting - len(sender)
        endpoint.first_acknowledged = True
        securing.first_arrived(broker, endpoint)
        broker.tell(
            RemoteMessageAcknowledged(
                at=broker.now.utc,
                database=endpoint.database,
                conversation_handle=endpoint.row.conversation_handle,
                up_to=acknowledgement.up_to,
                carrier=carrier.kind if carrier is not None else None,
                carrier_number=carrier.sequence if carrier is not None else None,
            )
        )
    row = endpoint.row
    ended = row.state is ConversationState.DISCONNECTED_OUTBOUND and row.end_dialog_sequence <= acknowledgement.up_to
    return Receipt.END_ACKNOWLEDGED if ended else Receipt.TAKEN


def is_impossible(endpoint: DialogEndpoint, acknowledgement: Acknowledgement) -> bool:
    """Whether it speaks of messages or fragments that were never made, or of more than it has seen."""
    sent = endpoint.row.send_sequence
    if acknowledgement.up_to > acknowledgement.highest_seen:
        return True
    if acknowledgement.up_to >= sent or acknowledgement.highest_seen >= sent:
        return True
    if not acknowledgement.fragments:
        return False
    count = endpoint.sender.fragment_count(acknowledgement.up_to + 1)
    return acknowledgement.up_to + 1 >= sent or (count is not None and acknowledgement.fragments >= count)


def _is_stored_there(acknowledgement: Acknowledgement) -> bool:
    """Whether the far end keeps anything of this dialog in order: then it is the one (protocol.md 8.6)."""
    return acknowledgement.up_to >= 0 or acknowledgement.fragments > 0


def _pin(broker: Broker, endpoint: DialogEndpoint, acknowledgement: Acknowledgement) -> None:
    """From now on the conversation talks to this one database."""
    broker.leave_links(endpoint)
    endpoint.revise(far_broker_instance=acknowledgement.broker_instance)
    broker.touch(endpoint)
    broker.stir(endpoint)
    # The id may lead to another route than the name alone did (routing.md E34).
    endpoint.decision = None
