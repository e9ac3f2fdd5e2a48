"""`KnownReplies`: which commands a store has replies of, and which of them it may forget.

Which command stands where is known in memory: nearly every command is new, and asking the disk about each of them would
cost more than carrying it out. A reply is kept for a minute, however many follow (`COMMAND_REPLIES_SECONDS_MIN`): till
then a command may come again. Older ones are kept while they are few and small.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from engine.core.vocabulary.limits import (
    COMMAND_REPLIES_BYTES_MAX,
    COMMAND_REPLIES_KEPT,
    COMMAND_REPLIES_MAX,
    COMMAND_REPLIES_SECONDS_MIN,
)

TRIM_EVERY: Final = 1000
"""Replies beyond what is kept before the oldest go: one after the other would cost more than many at once."""

GONE_AT_ONCE: Final = 100
"""How many go with a commit that brings few: those of a rush do not all go at once, which would hold up that commit."""


class Batch(NamedTuple):
    """The replies of one commit."""

    row: int
    commands: tuple[int, ...]
    size: int
    """Bytes of the replies."""
    replied_at: float


class KnownReplies:
    """Commands by the numbers of their ids, some 110 bytes each. Not responsible for what stands on disk."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        """Row by command."""
        self._batches: deque[Batch] = deque()
        """The oldest first."""
        self._count = self._bytes = 0

    def row_of(self, command: int) -> int | None:
        """The row of a command's reply; None when nothing is known of it."""
        return self._rows.get(command)

    def know(self, batch: Batch) -> None:
        """Replies are on disk."""
        self._batches.append(batch)
        self._count += len(batch.commands)
        self._bytes += batch.size
        for command in batch.commands:
            self._rows[command] = batch.row

    def forget_oldest(self, now: float, added: int) -> list[Batch]:
        """Forget what may go at the UTC second `now`, after so many replies more; answers what it was, oldest first."""
        gone: list[Batch] = []
        if self._count < COMMAND_REPLIES_KEPT + TRIM_EVERY and self._bytes <= COMMAND_REPLIES_BYTES_MAX:
            return gone
        least = self._count - max(2 * added, GONE_AT_ONCE)
        while self._count > least and self._batches and self._may_go(self._batches[0], now):
            gone.append(self._forget())
        return gone

    def _may_go(self, oldest: Batch, now: float) -> bool:
        left = self._count - len(oldest.commands)
        if oldest.replied_at > now - COMMAND_REPLIES_SECONDS_MIN:
            return left >= COMMAND_REPLIES_MAX
        return left >= COMMAND_REPLIES_KEPT or self._bytes > COMMAND_REPLIES_BYTES_MAX

    def _forget(self) -> Batch:
        batch = self._batches.popleft()
        self._count -= len(batch.commands)
        self._bytes -= batch.size
        for command in batch.commands:
            if self._rows.get(command) == batch.row:
                del self._rows[command]
        return batch
