"""`SendOrder`: what inputs send, by priority, with a guard against starvation (protocol.md 11).

Messages of one priority keep their order, and a conversation has one priority, so nothing overtakes within a
conversation. After `STARVATION_ELEVATION_EVERY` messages that went past a waiting one of lower priority, the oldest
of the lower ones is elevated. Within one priority fragments of large messages let other dialogs pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from engine.core.transmission.interleaving import interleaved
from engine.core.vocabulary.limits import STARVATION_ELEVATION_EVERY
from engine.core.vocabulary.messages import Outbound


class SendOrder:
    """Messages to send, collected while inputs are worked on."""

    def __init__(self) -> None:
        self._lanes: dict[int, list[Outbound]] = {}
        self._places: dict[int, list[int]] = {}
        """Of each message of a lane: how many were there before it, of all priorities."""
        self._count = 0

    def add(self, outbounds: Sequence[Outbound], priority: int) -> None:
        """More of them; `priority` is 1 to 10, and 10 goes first."""
        self._lanes.setdefault(priority, []).extend(outbounds)
        self._places.setdefault(priority, []).extend(range(self._count, self._count + len(outbounds)))
        self._count += len(outbounds)

    def add_one(self, outbound: Outbound, priority: int) -> None:
        """As `add`, of a single one."""
        lane = self._lanes.get(priority)
        if lane is None:
            lane, self._places[priority] = self._lanes.setdefault(priority, []), []
        lane.append(outbound)
        self._places[priority].append(self._count)
        self._count += 1

    def take(self) -> tuple[Outbound, ...]:
        """All of them in the order in which they leave; none is left."""
        if not self._count:
            return ()
        lanes, places = self._lanes, self._places
        self._lanes, self._places, self._count = {}, {}, 0
        if len(lanes) == 1:
            return interleaved(next(iter(lanes.values())))
        return tuple(
            _by_priority({each: deque(zip(places[each], interleaved(lanes[each]), strict=True)) for each in lanes})
        )


def _by_priority(lanes: dict[int, deque[tuple[int, Outbound]]]) -> Iterator[Outbound]:
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
