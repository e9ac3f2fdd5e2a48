"""`SendOrder`: what one input sends, by priority, with a guard against starvation (protocol.md 11).

Messages of one priority keep their order, and a conversation has one priority, so nothing overtakes within a
conversation. After `STARVATION_ELEVATION_EVERY` messages that went past a waiting one of lower priority, the oldest
of the lower ones is elevated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from engine.core.vocabulary.limits import STARVATION_ELEVATION_EVERY
from engine.core.vocabulary.messages import Outbound


class SendOrder:
    """Messages to send, collected while one input is worked on."""

    def __init__(self) -> None:
        self._sends: list[tuple[int, Outbound]] = []

    def add(self, outbound: Outbound, priority: int) -> None:
        """One more; `priority` is 1 to 10, and 10 goes first."""
        self._sends.append((priority, outbound))

    def take(self) -> list[Outbound]:
        """All of them in the order in which they leave; none is left."""
        sends, self._sends = self._sends, []
        if len({priority for priority, _ in sends}) <= 1:
            return [outbound for _, outbound in sends]
        return list(_by_priority(sends))


def _by_priority(sends: list[tuple[int, Outbound]]) -> Iterator[Outbound]:
    lanes: dict[int, deque[tuple[int, Outbound]]] = {}
    for place, (priority, outbound) in enumerate(sends):
        lanes.setdefault(priority, deque()).append((place, outbound))
    passed = 0
    while lanes:
        best = max(lanes)
        chosen = best
        if len(lanes) > 1 and passed >= STARVATION_ELEVATION_EVERY:
            chosen = min((priority for priority in lanes if priority != best), key=lambda lower: lanes[lower][0][0])
        passed = passed + 1 if chosen == best and len(lanes) > 1 else 0
        yield lanes[chosen].popleft()[1]
        if not lanes[chosen]:
            del lanes[chosen]
