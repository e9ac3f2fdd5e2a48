"""`DormantLine`: which conversation whose messages are in the store alone comes next, for RECEIVE or by age.

It remembers what it was told; whether an entry still holds is for its caller to say, who knows the conversations. None
is told twice: what has left memory once and come back stays.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import count

Entry = tuple[int, int]
"""The oldest place of a conversation and the number of its handle."""

_SLACK = 64
"""Entries that hold no more it may have, beyond one for each that does, before it is cleaned."""


class DormantLine:
    """Dormant conversations by priority and oldest place; some eighty bytes each."""

    def __init__(self, holds: Callable[[Entry], bool]) -> None:
        """`holds` says whether a conversation is still dormant and a place its oldest."""
        self._holds = holds
        self._levels: dict[int, list[Entry]] = {}
        """A heap for each priority."""
        self._checked = 0
        """How many entries there were after a start, or when it was cleaned last."""

    def __bool__(self) -> bool:
        return bool(self._levels)

    def add(self, priority: int, place: int, handle: int) -> None:
        """A conversation is dormant from now on."""
        heapq.heappush(self._levels.setdefault(priority, []), (place, handle))

    def load(self, priority: int, place: int, handle: int) -> None:
        """A start tells of a dormant conversation, for the first time."""
        self.add(priority, place, handle)
        self._checked += 1

    def best(self) -> tuple[int, int] | None:
        """The negative priority and the place of the next one, as the heap of a queue has them; None without one."""
        while self._levels:
            priority = max(self._levels)
            level = self._levels[priority]
            while level and not self._holds(level[0]):
                heapq.heappop(level)
            if level:
                return -priority, level[0][0]
            del self._levels[priority]
        return None

    def take(self, number: int) -> list[Entry]:
        """So many of the next ones of the best priority leave, for their messages are needed."""
        best = self.best()
        if best is None:
            return []
        level = self._levels[-best[0]]
        taken: list[Entry] = []
        while level and len(taken) < number:
            entry = heapq.heappop(level)
            if self._holds(entry):
                taken.append(entry)
        return taken

    def by_age(self) -> Iterator[Entry]:
        """All of them from the oldest place on; nothing is taken, and little done for the first few."""
        return filter(self._holds, heapq.merge(*map(_in_order, self._levels.values())))

    def clean(self) -> None:
        """Forget what holds no more, once it may be as much as what does."""
        entries = sum(map(len, self._levels.values()))
        if entries <= 2 * self._checked + _SLACK:
            return
        for priority, level in list(self._levels.items()):
            held = sorted(filter(self._holds, level))
            if held:
                self._levels[priority] = held
            else:
                del self._levels[priority]
        self._checked = sum(map(len, self._levels.values()))


def _in_order(heap: list[Entry]) -> Iterator[Entry]:
    """The entries of a heap, which stays as it is: behind each come its two children at the earliest."""
    front = [(heap[0], 0)] if heap else []
    while front:
        entry, at = heapq.heappop(front)
        yield entry
        for child in range(2 * at + 1, min(2 * at + 3, len(heap))):
            heapq.heappush(front, (heap[child], child))


def merge_in_turn(sequences: Iterator[tuple[int, Iterable[int]]]) -> Iterator[int]:
    """The numbers of ascending sequences in order; the sequences come in order of their first numbers, when needed."""
    ticket = count()
    running: list[tuple[int, int, Iterator[int]]] = []
    coming = next(sequences, None)
    while running or coming is not None:
        while coming is not None and (not running or coming[0] <= running[0][0]):
            following = iter(coming[1])
            heapq.heappush(running, (next(following), next(ticket), following))
            coming = next(sequences, None)
        number, order, following = running[0]
        yield number
        behind = next(following, None)
        if behind is None:
            heapq.heappop(running)
        else:
            heapq.heapreplace(running, (behind, order, following))
