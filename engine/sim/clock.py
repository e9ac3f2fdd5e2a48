"""Virtual time: one true time for the world, and for each machine two clocks that go as wrong as real ones do.

True time passes only between two entries of the agenda. A machine's monotonic clock begins anywhere and runs a little
too fast or too slow; its UTC clock runs with it, is off by some seconds, and can be set by an operator.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from engine.core.vocabulary.moment import Instant, Now, UtcTime

EPOCH = 1_700_000_000.0
"""UTC seconds at which every simulation begins: 2023-11-14T22:13:20Z."""

Happening = Callable[[], object]


class Agenda:
    """What will happen, by true time; what falls on the same instant happens in the order in which it was planned."""

    def __init__(self, happenings_max: int) -> None:
        self.seconds = 0.0
        """True time since the beginning, in seconds."""
        self._left = happenings_max
        self._entries: list[tuple[float, int, Happening]] = []
        self._ticket = count()

    def at(self, seconds: float, happening: Happening) -> None:
        """Plan something; what lies in the past happens next."""
        heapq.heappush(self._entries, (max(seconds, self.seconds), next(self._ticket), happening))

    def after(self, seconds: float, happening: Happening) -> None:
        """Plan something so many seconds from now."""
        self.at(self.seconds + seconds, happening)

    def run_until(self, seconds: float) -> None:
        """Let time pass up to `seconds`; everything that falls due happens, until it is more than may ever happen."""
        entries = self._entries
        while entries and entries[0][0] <= seconds and self._left:
            self._left -= 1
            self.seconds, _, happening = heapq.heappop(entries)
            happening()
        self.seconds = max(self.seconds, seconds)

    def run_on(self, seconds: float, happenings_max: int) -> bool:
        """Let time pass up to `seconds`, but no more happen than so much; whether it has come so far.

        Where it has not, it is the second of what happened last. When more than may ever happen has happened, time
        stands still at that second for good, in whichever steps it was let pass.
        """
        entries = self._entries
        wanted = min(happenings_max, self._left)
        while wanted and entries and entries[0][0] <= seconds:
            wanted -= 1
            self._left -= 1
            self.seconds, _, happening = heapq.heappop(entries)
            happening()
        if not self._left or (entries and entries[0][0] <= seconds):
            return False
        self.seconds = max(self.seconds, seconds)
        return True

    def spend(self, happenings: int) -> None:
        """Count something that was done from outside among what may happen."""
        self._left = max(self._left - happenings, 0)

    @property
    def left(self) -> int:
        """How much may happen yet."""
        return self._left

    @property
    def next_seconds(self) -> float | None:
        """When something is planned next; None when nothing is."""
        return self._entries[0][0] if self._entries else None

    @property
    def is_exhausted(self) -> bool:
        """Whether more has happened than can have a sense: messages in circles, an alarm that rings for ever."""
        return not self._left


class MachineClock:
    """The two clocks of one machine. It is the core's `Clock` port."""

    def __init__(self, agenda: Agenda, *, rate: float = 1.0, offset: float = 0.0, starts_at: float = 0.0) -> None:
        self._agenda = agenda
        self._rate = rate
        """Seconds this machine counts in one true second."""
        self._starts_at = starts_at
        self.offset = offset
        """Seconds by which UTC is ahead of the truth, beyond what the rate brings."""

    def now(self) -> Now:
        """Both readings."""
        passed = self._agenda.seconds * self._rate
        return Now(Instant(self._starts_at + passed), UtcTime(EPOCH + passed + self.offset))

    def step(self, seconds: float) -> None:
        """Somebody sets the UTC clock forward, or back; the monotonic one never jumps."""
        self.offset += seconds

    def true_time_of(self, instant: Instant) -> float:
        """The true time at which the monotonic clock will show `instant`, or a hair later, never earlier."""
        seconds = (instant - self._starts_at) / self._rate
        while self._starts_at + seconds * self._rate < instant:
            seconds += 1e-9 + abs(seconds) * 1e-15
        return seconds
