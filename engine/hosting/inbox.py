"""What waits for the next turn of an instance."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from engine.core.exchange.replies import Reply
from engine.core.vocabulary.messages import LinkChange
from engine.runtime.driver import Input


class Waiting(msgspec.Struct, frozen=True):
    """Inputs that came together, and who waits for the replies, if anybody does."""

    inputs: Sequence[Input]
    replies: asyncio.Future[list[Reply | None]] | None = None
    bytes: int = 0
    """What they take, when they are messages of the network."""
    report: LinkChange | None = None
    """The only input, when it is one that may have been overtaken by events."""
