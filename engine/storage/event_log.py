"""`EventLog`: the events of an instance, numbered without gaps; what one commit tells is one row.

A message tells four events. As rows of their own they would cost more than the message itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import apsw
import msgspec

from engine.contracts.codec import binary_encoder
from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.identifiers import EventSequence
from engine.storage.commit_log.entries import Entry, EntryKind
from engine.storage.commit_log.unfolded import Statement, Unfolded

_batch_decoder: Final = msgspec.msgpack.Decoder(tuple[BrokerEvent, ...])

_LAST: Final = "SELECT coalesce(max(first + count - 1), 0) FROM event_batches"
_AFTER: Final = (
    "SELECT first, events FROM event_batches"
    " WHERE first >= coalesce((SELECT max(first) FROM event_batches WHERE first <= ?), 0) ORDER BY first"
)
_TRIM: Final = "DELETE FROM event_batches WHERE first < (SELECT max(first) FROM event_batches WHERE first <= ?)"
"""Of a row that is needed in part the whole is kept."""


class EventLog:
    """Makes entries of the log and reads them there and in the file. Not responsible for telling anybody."""

    def __init__(self, connection: apsw.Connection, unfolded: Unfolded, kept: int) -> None:
        """Reads the number of the last event; nothing is unfolded. So many are `kept`."""
        self._kept = kept
        self._connection = connection
        self._unfolded = unfolded
        last: Any = connection.execute(_LAST).get
        self.last = int(last)
        """Number of the last event that was committed."""

    def entry(self, events: Sequence[BrokerEvent]) -> Entry:
        """The entry that puts events behind the last; `committed` makes it so."""
        return int(EntryKind.EVENTS), (self.last + 1, len(events), binary_encoder.encode(events))

    def committed(self, count: int) -> None:
        """The entry with so many events is durable."""
        self.last += count

    def trimming(self) -> Statement:
        """What deletes the oldest from the file, once it is up to date; until then nobody is told of them."""
        return _TRIM, [(self.last + 1 - self._kept,)]

    def after(self, sequence: EventSequence, limit: int) -> list[tuple[EventSequence, BrokerEvent]]:
        """At most `limit` events later than `sequence`, oldest first."""
        found: list[tuple[EventSequence, BrokerEvent]] = []
        sequence = EventSequence(max(sequence, self.last - self._kept))
        recent = self._unfolded.events
        if not recent or sequence + 1 < recent[0][0]:
            batches: Any = self._connection.execute(_AFTER, (sequence + 1,))
            for first, blob in batches:
                found += _numbered(first, blob, sequence)
                if len(found) >= limit:
                    return found[:limit]
        for first, count, blob in recent:
            if len(found) >= limit:
                break
            if first + count > sequence + 1:
                found += _numbered(first, blob, sequence)
        return found[:limit]


def _numbered(first: int, blob: bytes, after: int) -> list[tuple[EventSequence, BrokerEvent]]:
    numbered = enumerate(_batch_decoder.decode(blob), start=first)
    return [(EventSequence(number), event) for number, event in numbered if number > after]
