"""What waits for the next turn of an instance."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from engine.core.exchange.inputs import Input
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.messages import LinkChange


class Waiting(msgspec.Struct, frozen=True):
    """Inputs that came together, and who waits for the replies, if anybody does."""

    inputs: Sequence[Input]
    replies: asyncio.Future[list[Reply | None]] | None = None
    bytes: int = 0
    """What they take, when they are messages of the network."""
    report: LinkChange | None = None
    """The only input, when it is one that may have been overtaken by events."""


def answer(batch: Sequence[Waiting], replies: Sequence[Reply | None]) -> None:
    """Hand the replies to everything in a batch to those who wait for them."""
    position = 0
    for waiting in batch:
        end = position + len(waiting.inputs)
        # Whoever asked may have given up.
        if waiting.replies is not None and not waiting.replies.done():
            waiting.replies.set_result(list(replies[position:end]))
        position = end
