"""`ClosedCounts`: what the CLOSED endpoints of one database wait for, counted one by one (protocol.md 8.5).

An endpoint whose guard is armed is retained until its security timestamp. One whose guard was never armed stays for
its lifetime, which is a leak (SBD-610), and is retained for the time of the guard after that. Then it is overdue.
"""

from __future__ import annotations

import heapq
from math import ceil, floor
from typing import Final

from engine.core.vocabulary.moment import Duration, UtcTime

_SLACK: Final = 64
"""Seconds that nothing waits for the heap may hold beyond one for each that something does."""


class _Deadlines:
    """Deadlines by the second in which they have passed, and how many have by now."""

    def __init__(self) -> None:
        self.passed = 0
        self._reached = 0
        self._waiting: dict[int, int] = {}
        self._seconds: list[int] = []

    def add(self, at: float) -> None:
        second = ceil(at)
        if second <= self._reached:
            self.passed += 1
        elif second in self._waiting:
            self._waiting[second] += 1
        else:
            self._waiting[second] = 1
            heapq.heappush(self._seconds, second)

    def remove(self, at: float) -> None:
        """Take back what was added."""
        second = ceil(at)
        if second <= self._reached:
            self.passed -= 1
            return
        self._waiting[second] -= 1
        if not self._waiting[second]:
            del self._waiting[second]
            if len(self._seconds) > 2 * len(self._waiting) + _SLACK:
                self._seconds = list(self._waiting)
                heapq.heapify(self._seconds)

    def reach(self, second: int) -> None:
        """Time moves on; it never moves back."""
        self._reached = max(self._reached, second)
        while self._seconds and self._seconds[0] <= self._reached:
            self.passed += self._waiting.pop(heapq.heappop(self._seconds), 0)


class ClosedCounts:
    """Every endpoint is added once in each state it is in, and removed with what it was added with."""

    def __init__(self, guard_seconds: Duration) -> None:
        self._guard: Final = guard_seconds
        self._armed = _Deadlines()
        self._lifetimes = _Deadlines()
        self._ends = _Deadlines()
        self._total = 0
        self._unarmed = 0

    def add(self, security_timestamp: UtcTime, lifetime: UtcTime) -> None:
        """An endpoint is CLOSED."""
        self._total += 1
        if security_timestamp > 0:
            self._armed.add(security_timestamp)
        else:
            self._unarmed += 1
            self._lifetimes.add(lifetime)
            self._ends.add(lifetime + self._guard)

    def remove(self, security_timestamp: UtcTime, lifetime: UtcTime) -> None:
        """It is gone, or its guard is armed anew."""
        self._total -= 1
        if security_timestamp > 0:
            self._armed.remove(security_timestamp)
        else:
            self._unarmed -= 1
            self._lifetimes.remove(lifetime)
            self._ends.remove(lifetime + self._guard)

    def at(self, now: UtcTime) -> tuple[int, int, int]:
        """How many are retained, overdue and leaked at the whole second of `now`, or at a later one that was asked."""
        second = floor(now)
        for deadlines in (self._armed, self._lifetimes, self._ends):
            deadlines.reach(second)
        overdue = self._armed.passed + self._ends.passed
        leaked = self._unarmed - self._lifetimes.passed
        return self._total - overdue - leaked, overdue, leaked
