"""How much of log and replies is kept: as `SqliteStore` does, by statements that now and then join a commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from psycopg.types.numeric import Int8

from engine.core.vocabulary.limits import COMMAND_REPLIES_BYTES_MAX
from engine.storage.known_replies import TRIM_EVERY, Batch
from engine.storage.postgres.arrays import Uuids
from engine.storage.postgres.tables import Statement

ID_BYTES: Final = 16

REPLY_BYTES_UNTIL_TRIM: Final = COMMAND_REPLIES_BYTES_MAX // 8
"""Bytes of replies that are forgotten already before they are deleted."""

_TRIM_EVENTS: Final = b"DELETE FROM events WHERE first < %b AND first + count <= %b"

_TRIM_REPLIES: Final = b"DELETE FROM command_replies WHERE command_id = ANY(%b)"


class Retention:
    """Counts what is written and says what to delete with it."""

    def __init__(self, events_kept: int) -> None:
        self._events_kept = events_kept
        self._events_until_trim = TRIM_EVERY
        self._forgotten: list[int] = []
        """Commands whose replies stand on disk yet, though nobody is told of them any more."""
        self._forgotten_bytes = 0

    def after_events(self, count: int, last: int) -> Iterator[Statement]:
        """What goes after `count` more events, of which `last` is the newest."""
        self._events_until_trim -= count
        if self._events_until_trim <= 0:
            self._events_until_trim = TRIM_EVERY
            oldest = Int8(last - self._events_kept + 1)
            yield _TRIM_EVENTS, (oldest, oldest)

    def forgotten(self, batches: Sequence[Batch]) -> None:
        """Nobody is told of these replies any more."""
        for batch in batches:
            self._forgotten += batch.commands
            self._forgotten_bytes += batch.size

    def forgotten_replies(self) -> Iterator[Statement]:
        """What deletes forgotten replies, once it is worth it; should the commit fail, the store is opened anew."""
        if len(self._forgotten) >= TRIM_EVERY or self._forgotten_bytes >= REPLY_BYTES_UNTIL_TRIM:
            yield _TRIM_REPLIES, (Uuids.of([each.to_bytes(ID_BYTES) for each in self._forgotten]),)
            self._forgotten, self._forgotten_bytes = [], 0
