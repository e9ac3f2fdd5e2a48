"""What travels in tasks: the engine's values as JSON text, one encoder and decoder for each direction."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.contracts.codec import json_encoder
from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Refusal, Reply
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.identifiers import EventSequence

NumberedEvent = tuple[EventSequence, BrokerEvent]


class PeekAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of a queue, or why there is no such queue."""

    peek: QueuePeek | None = None
    refusal: Refusal | None = None


commands_decoder: Final = msgspec.json.Decoder(tuple[Command, ...])
replies_decoder: Final = msgspec.json.Decoder(list[Reply])
view_decoder: Final = msgspec.json.Decoder(InstanceView)
peek_decoder: Final = msgspec.json.Decoder(PeekAnswer)
events_decoder: Final = msgspec.json.Decoder(list[NumberedEvent])


def text(value: object) -> str:
    """A value as JSON text."""
    return json_encoder.encode(value).decode()
