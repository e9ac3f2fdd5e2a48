"""How much of log and replies is kept: as `SqliteStore` does, by statements that now and then join a commit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from psycopg.types.numeric import Int8

from engine.core.vocabulary.limits import (
    COMMAND_REPLIES_BYTES_MAX,
    COMMAND_REPLIES_KEPT,
    COMMAND_REPLIES_SECONDS_MIN,
    EVENTS_KEPT,
)
from engine.storage.postgres.tables import Statement
from engine.storage.reply_log import TRIM_EVERY

REPLY_BYTES_UNTIL_LOOK: Final = COMMAND_REPLIES_BYTES_MAX // 8
"""Bytes of replies written between two looks at the size of all of them."""

_TRIM_EVENTS: Final = b"DELETE FROM events WHERE first < %b AND first + count <= %b"

_TRIM_REPLIES: Final = b"""
DELETE FROM command_replies WHERE id <= (SELECT id FROM command_replies ORDER BY id DESC LIMIT 1 OFFSET %b)
"""

_TRIM_LARGE_REPLIES: Final = b"""
DELETE FROM command_replies WHERE id <= (
    SELECT max(id) FROM (
        SELECT id, replied_at, sum(octet_length(reply)) OVER (ORDER BY id DESC) AS newer FROM command_replies
    ) AS replies
    WHERE newer > %b AND replied_at <= %b
)
"""


class Retention:
    """Counts what is written and says what to delete with it."""

    def __init__(self) -> None:
        self._events_until_trim = self._replies_until_trim = TRIM_EVERY
        self._reply_bytes = 0
        """Written since the last look at the size of all replies."""

    def after_events(self, count: int, last: int) -> Iterator[Statement]:
        """What goes after `count` more events, of which `last` is the newest."""
        self._events_until_trim -= count
        if self._events_until_trim <= 0:
            self._events_until_trim = TRIM_EVERY
            oldest = Int8(last - EVENTS_KEPT + 1)
            yield _TRIM_EVENTS, (oldest, oldest)

    def after_replies(self, count: int, size: int, now: float) -> Iterator[Statement]:
        """What goes after `count` more replies of `size` bytes, given at the UTC second `now`."""
        self._replies_until_trim -= count
        if self._replies_until_trim <= 0:
            self._replies_until_trim = TRIM_EVERY
            yield _TRIM_REPLIES, (Int8(COMMAND_REPLIES_KEPT),)
        self._reply_bytes += size
        if self._reply_bytes >= REPLY_BYTES_UNTIL_LOOK:
            self._reply_bytes = 0
            yield _TRIM_LARGE_REPLIES, (Int8(COMMAND_REPLIES_BYTES_MAX), now - COMMAND_REPLIES_SECONDS_MIN)
