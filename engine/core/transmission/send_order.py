"""`SendOrder`: what one input sends, by priority, with a guard against starvation (protocol.md 11).

Messages of one priority keep their order, and a conversation has one priority, so nothing overtakes within a
conversation. After `STARVATION_ELEVATION_EVERY` messages that went past a waiting one of lower priority, the oldest
of the lower ones is elevated. Within one priority fragments of large messages let other dialogs pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from engine.core.transmission.interleaving import interleaved
from engine.core.vocabulary.limits import STARVATION_ELEVATION_EVERY
from engine.core.vocabulary.messages import Outbound


class SendOrder:
    """Messages to send, collected while one input is worked on."""

    def __init__(self) -> None:
        self._sends: list[tuple[int, Outbound]] = []

    def add(self, outbound: Outbound, priority: int) -> None:
        """One more; `priority` is 1 to 10, and 10 goes first."""
        self._sends.append((priority, outbound))

    def take(self) -> tuple[Outbound, ...]:
        """All of them in the order in which they leave; none is left."""
        if not self._sends:
            return ()
        sends, self._sends = self._sends, []
        if len({priority for priority, _ in sends}) <= 1:
            return interleaved([outbound for _, outbound in sends])
        return tuple(_by_priority(sends))


def _by_priority(sends: list[tuple[int, Outbound]]) -> Iterator[Outbound]:
    together: dict[int, list[Outbound]] = {}
    places: dict[int, list[int]] = {}
    for place, (priority, outbound) in enumerate(sends):
        together.setdefault(priority, []).append(outbound)
        places.setdefault(priority, []).append(place)
    lanes = {
        priority: deque(zip(places[priority], interleaved(of_one), strict=True))
        for priority, of_one in together.items()
    }
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
