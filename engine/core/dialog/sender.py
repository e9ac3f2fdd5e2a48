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
from engine.core.vocabulary.limits import SEND_WINDOW_MESSAGES
from engine.core.vocabulary.moment import Duration, Instant
from engine.core.vocabulary.rows import TransmissionRow


@dataclass(slots=True)
class _Pending:
    row: TransmissionRow
    attempts: int
    deadline: Instant


class DialogSender:
    """The unacknowledged messages of one direction, in order of their numbers, which have no holes."""

    def __init__(self, retry_seconds: tuple[Duration, ...], entropy: Entropy) -> None:
        self._retry_seconds = retry_seconds
        self._entropy = entropy
        self._pending: dict[int, _Pending] = {}
        self._next_new: int | None = None
        """Number of the first message that was not transmitted since the last `start_over`."""
        self._wake_at: Instant | None = None
        self._gap_resent = -1

    def __len__(self) -> int:
        return len(self._pending)

    def holds(self, number: int) -> bool:
        """Whether the message of this number is not acknowledged yet."""
        return number in self._pending

    def rows(self) -> Iterator[TransmissionRow]:
        """What the transmission queue holds for this endpoint, oldest first."""
        return (pending.row for pending in self._pending.values())

    def enqueue(self, row: TransmissionRow) -> None:
        """Take over a message; its number follows the last one's."""
        self._pending[row.message_sequence_number] = _Pending(row, 0, Instant(0.0))
        if self._next_new is None:
            self._next_new = row.message_sequence_number

    def clear(self) -> None:
        """Forget everything: the conversation ended or failed."""
        self._pending.clear()
        self._next_new = None
        self._wake_at = None

    def start_over(self) -> None:
        """A new connection or a new route: everything unacknowledged is new again."""
        self._next_new = next(iter(self._pending), None)
        self._wake_at = None
        for pending in self._pending.values():
            pending.attempts = 0

    def acknowledge(self, up_to: int, highest_seen: int, now: Instant) -> bool:
        """Forget messages up to and including `up_to`; answer whether there was progress."""
        progress = False
        while self._pending:
            first = next(iter(self._pending))
            if first > up_to:
                break
            del self._pending[first]
            progress = True
        if self._next_new is not None and self._next_new <= up_to:
            self._next_new = up_to + 1 if up_to + 1 in self._pending else None
        if progress:
            self._restart_waits()
        self._resend_gap(up_to, highest_seen, now)
        return progress

    def _restart_waits(self) -> None:
        for pending in self._in_flight():
            pending.attempts = min(pending.attempts, 1)
        self._wake_at = min((pending.deadline for pending in self._in_flight()), default=None)

    def _resend_gap(self, up_to: int, highest_seen: int, now: Instant) -> None:
        gap = self._pending.get(up_to + 1)
        if highest_seen > up_to + 1 and gap is not None and gap.attempts and up_to + 1 > self._gap_resent:
            self._gap_resent = up_to + 1
            gap.deadline = now
            self._wake_at = now

    def _in_flight(self) -> Iterator[_Pending]:
        for number, pending in self._pending.items():
            if number == self._next_new:
                return
            yield pending

    def due(self, now: Instant) -> list[TransmissionRow]:
        """What to transmit now: messages past their deadline, then new ones as far as the window reaches."""
        rows = [self._transmit(pending, now) for pending in self._overdue(now)]
        if self._next_new is not None:
            first = next(iter(self._pending))
            while self._next_new - first < SEND_WINDOW_MESSAGES:
                rows.append(self._transmit(self._pending[self._next_new], now))
                self._next_new += 1
                if self._next_new not in self._pending:
                    self._next_new = None
                    break
        if rows:
            self._wake_at = min((pending.deadline for pending in self._in_flight()), default=None)
        return rows

    def _overdue(self, now: Instant) -> list[_Pending]:
        if self._wake_at is None or self._wake_at > now:
            return []
        return [pending for pending in self._in_flight() if pending.deadline <= now]

    def _transmit(self, pending: _Pending, now: Instant) -> TransmissionRow:
        wait = self._retry_seconds[min(pending.attempts, len(self._retry_seconds) - 1)]
        pending.attempts += 1
        pending.deadline = Instant(now + wait + self._entropy.jitter(wait))
        return pending.row

    @property
    def has_new(self) -> bool:
        """Whether a message waits for its first transmission."""
        return self._next_new is not None

    def wake_at(self) -> Instant | None:
        """The earliest deadline of a message in flight."""
        return self._wake_at
