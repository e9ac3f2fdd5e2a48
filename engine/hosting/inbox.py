"""What waits for the next turn of an instance."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from engine.core.exchange.inputs import Input
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX
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


def next_batch(inbox: deque[Waiting], stands: Callable[[LinkChange], bool]) -> list[Waiting]:
    """What goes into one commit, taken out of the inbox.

    A report follows no other input: what those decide, a hang-up above all, is done before it is looked at. One that
    does not stand any more is dropped.
    """
    batch: list[Waiting] = []
    count = 0
    while inbox and count < COMMIT_INPUTS_MAX:
        if inbox[0].report is not None and batch and batch[-1].report is None:
            break
        waiting = inbox.popleft()
        if waiting.report is None or stands(waiting.report):
            batch.append(waiting)
            count += len(waiting.inputs)
    return batch
