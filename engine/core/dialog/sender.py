"""`DialogSender`: what one endpoint still owes the far end, and when each message is due (protocol.md 3.5).

A message is new, or in flight with a deadline of its own, or acknowledged and gone. At most a window of messages is
in flight. A deadline that passes doubles the wait of that message alone; any progress starts the waits again. When
an acknowledgement shows a gap, only the message at the gap is sent again, once for each gap: what lies behind it
has arrived or will be asked for when the gap moves. The sender is finished when nothing is pending.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.limits import SEND_WINDOW_BYTES, SEND_WINDOW_MESSAGES
from engine.core.vocabulary.moment import Duration, Instant
from engine.core.vocabulary.rows import TransmissionRow


@dataclass(slots=True)
class _Pending:
    row: TransmissionRow
    attempts: int
    """Transmissions since the last `start_over` or progress; 0 is new."""
    deadline: Instant
    was_sent: bool


class DialogSender:
    """The unacknowledged messages of one direction, in order of their numbers, which have no holes."""

    def __init__(self, retry_seconds: tuple[Duration, ...], entropy: Entropy) -> None:
        self._retry_seconds = retry_seconds
        self._entropy = entropy
        self._pending: dict[int, _Pending] = {}
        self._first = 0
        """Lowest number pending; meaningless while nothing is."""
        self._next_new: int | None = None
        """Number of the first message that was not transmitted since the last `start_over`."""
        self._bytes_in_flight = 0
        self._wake_at: Instant | None = None
        self._gap_resent = -1

    def __len__(self) -> int:
        return len(self._pending)

    def holds(self, number: int) -> bool:
        """Whether the message of this number is not acknowledged yet."""
        return number in self._pending

    def is_untouched(self, number: int) -> bool:
        """Whether the message of this number is pending and was certainly never transmitted."""
        pending = self._pending.get(number)
        return pending is not None and not pending.was_sent

    def rows(self) -> Iterator[TransmissionRow]:
        """What the transmission queue holds for this endpoint, oldest first."""
        return (pending.row for pending in self._pending.values())

    def enqueue(self, row: TransmissionRow, *, is_restored: bool = False) -> None:
        """Take over a message; its number follows the last one's. A restored one may have been sent before."""
        number = row.message_sequence_number
        if not self._pending:
            self._first = number
        self._pending[number] = _Pending(row, 0, Instant(0.0), was_sent=is_restored)
        if self._next_new is None:
            self._next_new = number

    def clear(self) -> None:
        """Forget everything: the conversation ended or failed."""
        self._pending.clear()
        self._next_new = None
        self._bytes_in_flight = 0
        self._wake_at = None

    def start_over(self) -> None:
        """A new connection or a new route: everything unacknowledged is new again."""
        self._next_new = self._first if self._pending else None
        self._bytes_in_flight = 0
        self._wake_at = None
        for pending in self._pending.values():
            pending.attempts = 0

    def acknowledge(self, up_to: int, highest_seen: int, now: Instant) -> bool:
        """Forget messages up to and including `up_to`; answer whether there was progress."""
        progress = bool(self._pending) and self._first <= up_to
        while self._pending and self._first <= up_to:
            gone = self._pending.pop(self._first)
            if gone.attempts:
                self._bytes_in_flight -= _size(gone.row)
            self._first += 1
        if self._next_new is not None and self._next_new < self._first:
            self._next_new = self._first if self._pending else None
        if progress:
            self._restart_waits(now)
        self._resend_gap(up_to, highest_seen, now)
        return progress

    def _restart_waits(self, now: Instant) -> None:
        soonest = Instant(now + self._retry_seconds[0])
        for pending in self._in_flight():
            pending.attempts = 1
            pending.deadline = min(pending.deadline, soonest)
        self._wake_at = min((pending.deadline for pending in self._in_flight()), default=None)

    def _resend_gap(self, up_to: int, highest_seen: int, now: Instant) -> None:
        gap = self._pending.get(up_to + 1)
        if highest_seen > up_to + 1 and gap is not None and gap.attempts and up_to + 1 > self._gap_resent:
            self._gap_resent = up_to + 1
            gap.deadline = now
            self._wake_at = now

    def _in_flight(self) -> Iterator[_Pending]:
        end = self._first + len(self._pending) if self._next_new is None else self._next_new
        return (self._pending[number] for number in range(self._first, end))

    def due(self, now: Instant) -> list[TransmissionRow]:
        """What to transmit now: messages past their deadline, then new ones as far as the window reaches."""
        rows = [self._transmit(pending, now) for pending in self._overdue(now)]
        while self._next_new is not None and self._window_is_open(self._next_new):
            pending = self._pending[self._next_new]
            self._bytes_in_flight += _size(pending.row)
            rows.append(self._transmit(pending, now))
            self._next_new = self._next_new + 1 if self._next_new + 1 in self._pending else None
        if rows:
            self._wake_at = min((pending.deadline for pending in self._in_flight()), default=None)
        return rows

    def _window_is_open(self, number: int) -> bool:
        """Whether a new message may follow those in flight; the first one always may."""
        if number == self._first:
            return True
        fits = self._bytes_in_flight + _size(self._pending[number].row) <= SEND_WINDOW_BYTES
        return fits and number - self._first < SEND_WINDOW_MESSAGES

    def _overdue(self, now: Instant) -> list[_Pending]:
        if self._wake_at is None or self._wake_at > now:
            return []
        return [pending for pending in self._in_flight() if pending.deadline <= now]

    def _transmit(self, pending: _Pending, now: Instant) -> TransmissionRow:
        wait = self._retry_seconds[min(pending.attempts, len(self._retry_seconds) - 1)]
        pending.attempts += 1
        pending.was_sent = True
        pending.deadline = Instant(now + wait + self._entropy.jitter(wait))
        return pending.row

    @property
    def has_new(self) -> bool:
        """Whether a message waits for its first transmission."""
        return self._next_new is not None

    def wake_at(self) -> Instant | None:
        """The earliest deadline of a message in flight."""
        return self._wake_at


def _size(row: TransmissionRow) -> int:
    return len(row.message_body or b"")
