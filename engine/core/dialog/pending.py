"""`PendingMessages`: the unacknowledged messages of one direction, in memory or, of a long backlog, in the store alone.

Their numbers have no holes, so two numbers say which there are. Those that are left behind lie between the first ones,
which are needed next, and the last ones, whose commit is not done yet or for which there was room (ADR 20).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from engine.core.vocabulary.message_memory import MessageMemory, weight
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import TransmissionRow, TransmissionSpan


class BodySource(Protocol):
    """Whoever secures the large messages of a dialog, and reads those that are in the store alone."""

    def secured_body(self, row: TransmissionRow) -> bytes | None:
        """What a large message is cut from, always the same bytes; None for the body as it is."""
        ...

    def stored_rows(self, first: int) -> Sequence[TransmissionRow]:
        """Committed messages from the number `first` on, that one at least, in order and without a hole."""
        ...


class _InClear:
    """Large messages of a dialog that is not secured are cut as they are; none was left behind."""

    def secured_body(self, row: TransmissionRow) -> bytes | None:
        return None

    def stored_rows(self, first: int) -> Sequence[TransmissionRow]:
        raise AssertionError(f"message {first} was never left behind")


IN_CLEAR: Final[BodySource] = _InClear()

# Most dialogs rest most of the time: they share this, which nobody ever writes to, and it costs nothing for them.
NO_ROWS: Final[dict[int, TransmissionRow]] = {}


NOBODY_KNOWS: Final = UtcTime(0.0)
"""Of when the first message was enqueued that is in the store alone: the store does."""


class PendingMessages:
    """Rows by their numbers. Not responsible for when one is transmitted."""

    __slots__ = ("_end", "_first", "_rows", "_since", "bodies", "memory")

    def __init__(self, bodies: BodySource, memory: MessageMemory) -> None:
        self.bodies = bodies
        self.memory = memory
        self._rows = NO_ROWS
        """Those in memory."""
        self._first = 0
        """Lowest number pending."""
        self._end = 0
        """The number behind the highest one; nothing is pending while it is the lowest."""
        self._since = NOBODY_KNOWS
        """When the first of those left behind was enqueued."""

    def __len__(self) -> int:
        return self._end - self._first

    @property
    def first(self) -> int:
        """The lowest number pending; meaningless while nothing is."""
        return self._first

    def waits_since(self) -> UtcTime:
        """When the first message was enqueued; where nothing in memory tells it is read from the store, once."""
        row = self._rows.get(self._first)
        if row is not None:
            return row.enqueue_time
        if self._since == NOBODY_KNOWS:
            self._since = self.bodies.stored_rows(self._first)[0].enqueue_time
        return self._since

    def holds(self, number: int) -> bool:
        """Whether the message of this number is not acknowledged yet."""
        return self._first <= number < self._end

    def rows(self) -> Iterator[TransmissionRow]:
        """What the transmission queue holds for this endpoint, oldest first; what was left behind stays there."""
        number, read = self._first, NO_ROWS
        while self.holds(number):
            row = self._rows.get(number) or read.get(number)
            if row is None:
                read = {each.message_sequence_number: each for each in self.bodies.stored_rows(number)}
                row = read[number]
            yield row
            number += 1

    def row(self, number: int) -> TransmissionRow:
        """A pending message; in memory from now on, and some of those that follow it with it."""
        found = self._rows.get(number)
        return self._bring_back(number) if found is None else found

    def _bring_back(self, number: int) -> TransmissionRow:
        if self._rows is NO_ROWS:
            self._rows = {}
        rows = self._rows
        for row in self.bodies.stored_rows(number):
            if row.message_sequence_number not in rows:
                rows[row.message_sequence_number] = row
                self.memory.bytes += weight(row)
        self._since = NOBODY_KNOWS
        return rows[number]

    def _leave_behind(self, kept: int) -> None:
        """Messages from the number `kept` on leave memory; all of them are committed."""
        rows, number, since = self._rows, self._end - 1, self._since
        while number >= kept and (row := rows.pop(number, None)) is not None:
            self.memory.bytes -= weight(row)
            since = row.enqueue_time
            number -= 1
        if number < kept:
            # Otherwise others were left behind before, which are older.
            self._since = since
        if not rows:
            self._rows = NO_ROWS

    def _restore_span(self, span: TransmissionSpan) -> None:
        """Messages that stay in the store until they are needed; nothing else is pending."""
        self._first, self._end, self._since = span.first, span.end, span.since
        self.memory.senders[self.bodies] = None

    def _forget_all(self) -> None:
        self.memory.bytes -= sum(map(weight, self._rows.values()))
        self._rows = NO_ROWS
        self._first = self._end
        self.memory.senders.pop(self.bodies, None)
