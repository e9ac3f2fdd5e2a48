"""`DialogReceiver`: order, duplicates and the bounded holding area of one direction (protocol.md 3.1, 3.4, 3.6).

The next number is delivered, an old one is a duplicate, a later one is held until the gap closes. What was received
is acknowledged after a delay, or at once when much is outstanding or the sender repeats itself.
"""

from __future__ import annotations

from enum import Enum, auto

from engine.core.vocabulary.limits import ACKNOWLEDGE_AFTER_MESSAGES, HELD_MESSAGES_MAX
from engine.core.vocabulary.moment import Duration, Instant


class Arrival(Enum):
    """What an arriving number means."""

    NEXT = auto()
    EARLY = auto()
    DUPLICATE = auto()
    TOO_EARLY = auto()
    """Beyond the holding area; the sender will repeat it."""


class DialogReceiver:
    """Position and holding area of one direction; held messages live in the queue, here are their places."""

    def __init__(self, next_number: int, acknowledgement_delay_seconds: Duration) -> None:
        self.next_number = next_number
        self._delay = acknowledgement_delay_seconds
        self._held: dict[int, int] = {}
        """Number of an early message -> its `queuing_order`."""
        self._highest_held = -1
        self._unacknowledged = 0
        self.acknowledge_at: Instant | None = None
        """When the acknowledgement must leave on its own; None when nothing is owed."""

    @property
    def up_to(self) -> int:
        """Highest number received in order; -1 when none."""
        return self.next_number - 1

    @property
    def highest_seen(self) -> int:
        """Highest number received at all."""
        return max(self.up_to, self._highest_held)

    @property
    def held_range(self) -> tuple[int, int]:
        """First and last number held; -1 twice when none is."""
        return (min(self._held), max(self._held)) if self._held else (-1, -1)

    def classify(self, number: int) -> Arrival:
        """What to do with a message of this number."""
        if number == self.next_number:
            return Arrival.NEXT
        if number < self.next_number or number in self._held:
            return Arrival.DUPLICATE
        room = len(self._held) < HELD_MESSAGES_MAX and number - self.next_number <= HELD_MESSAGES_MAX
        return Arrival.EARLY if room else Arrival.TOO_EARLY

    def hold(self, number: int, queuing_order: int) -> None:
        """Remember an early message that was put into the queue with status 2."""
        if number >= self.next_number:
            self._held[number] = queuing_order
            self._highest_held = max(self._highest_held, number)

    def forget_held(self) -> None:
        """Nothing is held any more: the sequence ended before the gap closed."""
        self._held.clear()
        self._highest_held = -1

    def advance(self) -> None:
        """The next message was delivered, or discarded."""
        self._held.pop(self.next_number, None)
        self.next_number += 1

    def skip_to(self, number: int) -> None:
        """Expect `number` next: an error ended the sequence and nothing before it will come (row 11)."""
        self.next_number = max(self.next_number, number)

    def release(self) -> int | None:
        """The place of the held message whose turn has come, or None; call `advance` after delivering it."""
        return self._held.pop(self.next_number, None)

    def owe(self, now: Instant, *, at_once: bool = False) -> None:
        """Something was received (again) and must be acknowledged."""
        self._unacknowledged += 1
        if at_once or self._unacknowledged >= ACKNOWLEDGE_AFTER_MESSAGES:
            self.acknowledge_at = now
        elif self.acknowledge_at is None:
            self.acknowledge_at = Instant(now + self._delay)

    def acknowledged(self) -> None:
        """An acknowledgement has left, alone or on another message."""
        self._unacknowledged = 0
        self.acknowledge_at = None
