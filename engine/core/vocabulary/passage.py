"""`Passage`: how far what left over one connection for one broker has come, as acknowledgements tell (protocol.md 3.5).

On this way the order is kept. So what left after everything that is acknowledged has not failed to arrive as long as
acknowledgements come: it stands in a line, in the systems between or at the far end. To repeat it then would make that
line longer, and everybody behind it wait in vain as well.

Where a forwarder on the way has no room any more it drops what comes (protocol.md 7.4). A gap tells of it; then less
is let out at once, half as much each time, and again a little more with all that arrives.
"""

from __future__ import annotations

import math
from collections import deque

from engine.core.vocabulary.limits import (
    PASSAGE_BYTES_MAX,
    PASSAGE_BYTES_MIN,
    PASSAGE_GROWTH_BYTES,
)
from engine.core.vocabulary.moment import Instant


class Passage:
    """One way, from the login of its connection on. Whoever sends tells what has left and what of it has arrived."""

    __slots__ = (
        "_arrived",
        "_arrived_bytes",
        "_departures",
        "_heard_at",
        "_left_bytes",
        "_narrowed_at",
        "_width_max",
        "width",
    )

    def __init__(self, width: int = PASSAGE_BYTES_MAX) -> None:
        """`width`: bytes that may be under way at once as long as nothing is lost."""
        self._arrived = Instant(-math.inf)
        """When the latest of what has arrived left."""
        self._heard_at: Instant | None = None
        """When the last news came."""
        self._departures: deque[tuple[Instant, int]] = deque()
        """When something left that has not arrived, and all bytes that had left then."""
        self._left_bytes = 0
        self._arrived_bytes = 0
        self._narrowed_at = Instant(0.0)
        self._width_max = width
        self.width = width
        """Bytes that may be under way at once."""

    @property
    def bytes(self) -> int:
        """About how many bytes are under way."""
        return self._left_bytes - self._arrived_bytes

    def has_left(self, left_at: Instant, size: int) -> None:
        """So many bytes left just now."""
        self._left_bytes += size
        departures = self._departures
        if departures and departures[-1][0] == left_at:
            departures[-1] = left_at, self._left_bytes
        else:
            departures.append((left_at, self._left_bytes))

    def has_arrived(self, left_at: Instant, now: Instant) -> None:
        """What left then is acknowledged. What left before has arrived too, or has been lost."""
        departures, before = self._departures, self._arrived_bytes
        if left_at <= self._arrived and not (departures and departures[0][0] <= left_at):
            # Of what left later, which everybody waits for, this says nothing. News of a moment count for all that left
            # in it, behind earlier news of it, too.
            return
        self._heard_at = now
        self._arrived = max(left_at, self._arrived)
        while departures and departures[0][0] <= left_at:
            self._arrived_bytes = departures.popleft()[1]
        if self.width < self._width_max:
            grown = PASSAGE_GROWTH_BYTES * (self._arrived_bytes - before) // self.width
            self.width = min(self._width_max, self.width + grown)

    def was_lost(self, left_at: Instant, now: Instant) -> None:
        """What left then has not arrived, though others behind it have; all of one line count once."""
        if left_at > self._narrowed_at:
            self._narrowed_at = now
            self.width = min(self.width, max(PASSAGE_BYTES_MIN, self.bytes // 2))

    @property
    def has_room(self) -> bool:
        """Whether more may leave."""
        return self._left_bytes - self._arrived_bytes < self.width

    def given_up_at(self, patience: float) -> Instant | None:
        """When what is under way counts as lost, `patience` seconds after the last news; None when nothing is."""
        if not self._departures:
            return None
        since = self._departures[0][0]
        return Instant((since if self._heard_at is None else max(since, self._heard_at)) + patience)

    def give_up(self) -> None:
        """Nothing was heard for long: what is under way counts as lost."""
        self._departures.clear()
        self._arrived_bytes = self._left_bytes

    def travels_until(self, left_at: Instant, now: Instant, patience: float) -> Instant | None:
        """Until when what left then may be under way still; None when it should have arrived by now.

        `patience`: seconds without any news after which nobody is believed to be under way.
        """
        if self._heard_at is None or left_at <= self._arrived:
            return None
        until = Instant(self._heard_at + patience)
        return until if until > now else None
