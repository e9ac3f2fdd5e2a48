"""`WaitingLine`: conversations that a full connection has turned away, by priority, with a guard against starvation."""

from __future__ import annotations

from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName
from engine.core.vocabulary.limits import STARVATION_ELEVATION_EVERY

EndpointKey = tuple[DatabaseName, ConversationHandle]


class WaitingLine:
    """First come, first served within a priority; 10 goes first (protocol.md 11).

    One that waits already keeps its place. After `STARVATION_ELEVATION_EVERY` that went past others of a lower
    priority, one of the lowest has its turn.
    """

    __slots__ = ("_lanes", "_passed")

    def __init__(self) -> None:
        self._lanes: dict[int, dict[EndpointKey, None]] = {}
        self._passed = 0

    def __len__(self) -> int:
        return sum(map(len, self._lanes.values()))

    def join(self, key: EndpointKey, priority: int) -> None:
        """Wait; harmless when it does."""
        self._lanes.setdefault(priority, {})[key] = None

    def next(self) -> EndpointKey | None:
        """Whose turn it is; it waits no more."""
        lanes = self._lanes
        if not lanes:
            return None
        chosen = max(lanes)
        if len(lanes) > 1 and self._passed >= STARVATION_ELEVATION_EVERY:
            chosen, self._passed = min(lanes), 0
        elif len(lanes) > 1:
            self._passed += 1
        key = next(iter(lanes[chosen]))
        del lanes[chosen][key]
        if not lanes[chosen]:
            del lanes[chosen]
        return key

    def clear(self) -> None:
        """Nobody waits any more."""
        self._lanes.clear()
        self._passed = 0
