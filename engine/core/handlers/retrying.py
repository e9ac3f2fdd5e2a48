"""RetryTransmission: the messages of a conversation go now, rather than at the next deadline (routing.md 7)."""

from __future__ import annotations

from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.exchange.commands import RetryTransmission
from engine.core.exchange.replies import TransmissionRetried
from engine.core.exchange.silent_events import TransmissionRetryAsked
from engine.core.handlers import mirroring
from engine.core.handlers.broker import Broker
from engine.core.handlers.outbound import transmit
from engine.core.handlers.session import database_of, no_conversation
from engine.core.vocabulary.messages import TcpAddress


def retry_transmission(broker: Broker, command: RetryTransmission) -> TransmissionRetried:
    """Classify anew and send; 911, 8426. Harmless where nothing waits."""
    database = database_of(broker, command.database).name
    endpoint = broker.conversations.get((database, command.conversation_handle))
    if endpoint is None or endpoint.row.service == BROKER_SERVICE:
        raise no_conversation(broker, database, command.conversation_handle)
    before = endpoint.status.number
    broker.tell(
        TransmissionRetryAsked(at=broker.now.utc, database=database, conversation_handle=command.conversation_handle)
    )
    if endpoint.has_messages_to_send:
        _send_now(broker, endpoint)
    status = endpoint.status
    return TransmissionRetried(waiting=len(endpoint.sender), number=status.number, text=status.text, before=before)


def _send_now(broker: Broker, endpoint: DialogEndpoint) -> None:
    """Everything unacknowledged is new again, and an address that was left alone after a failure is tried."""
    _try_addresses(broker, endpoint)
    endpoint.sender.start_over()
    endpoint.reclassify_at = broker.now.monotonic
    transmit(broker, endpoint)
    if broker.knows(endpoint) and _try_addresses(broker, endpoint):
        # The new way leads to another address that was left alone.
        transmit(broker, endpoint)


def _try_addresses(broker: Broker, endpoint: DialogEndpoint) -> bool:
    """Let the addresses of an endpoint's way be dialled; answers whether any was left alone."""
    decision = endpoint.decision
    if decision is None or decision.address is None:
        return False
    pair = mirroring.mirrored_pair(decision)
    addresses: tuple[TcpAddress, ...] = (decision.address,)
    if pair is not None:
        addresses = (pair.address, pair.mirror_address)
    was_left_alone = sum(broker.links.lift_suppression_of(address) for address in addresses) > 0
    monitor = None if pair is None else broker.mirrors.find(pair)
    if monitor is not None and was_left_alone:
        mirroring.attend(broker, monitor)
    return was_left_alone
