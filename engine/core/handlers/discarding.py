"""Telling that an arriving message was discarded: as an undeliverable one or as a corrupted one (protocol.md 19)."""

from __future__ import annotations

from typing import Final

from engine.core.exchange.events import MessageCorrupted, MessageUndeliverable
from engine.core.handlers.broker import Broker
from engine.core.handlers.fault_texts import parameters_of
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.messages import DialogMessage

CORRUPTIONS: Final = frozenset(
    {*range(11235, 11282), *range(11297, 11300), 28001, 28007, *range(28040, 28045), 28049, *range(28061, 28068 + 1)}
)
"""Numbers that say that a message is not what a broker sends; all others say that nobody here takes it."""

DUPLICATE: Final = 11218

_TOLD_AS: Final = {8408: 11214, 8425: 11214, 8428: 11227, 8498: 11227, 8437: 11228, 8457: 11228}
"""What the trace says about a message whose sender is answered with an Error: it has numbers of its own for faults of
contract and message type (protocol.md 19), and none for those of the body."""


def discard(broker: Broker, database: DatabaseName | None, message: DialogMessage, number: int) -> None:
    """Count and tell that a message was discarded for the reason of this number; its sender keeps it."""
    number = _TOLD_AS.get(number, number)
    is_corrupted = number in CORRUPTIONS
    if is_corrupted:
        broker.counters.corrupted += 1
    else:
        broker.counters.dropped += 1
        broker.counters.duplicates += number == DUPLICATE
    event = MessageCorrupted if is_corrupted else MessageUndeliverable
    broker.tell(
        event(
            at=broker.now.utc,
            conversation_id=message.conversation_id,
            from_initiator=message.from_initiator,
            to_service=message.target.service_name,
            message_sequence_number=message.sequence,
            number=number,
            text=text_of(number, **parameters_of(broker, database, message, number)),
        )
    )
