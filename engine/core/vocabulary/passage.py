"""`Passage`: how far what left over one connection has come, as acknowledgements tell (protocol.md 3.5).

A connection keeps the order. So what left after everything that is acknowledged has not failed to arrive as long as
acknowledgements come: it stands in a line, in the systems between or at the far end. To repeat it then would make that
line longer, and everybody behind it wait in vain as well.
"""

from __future__ import annotations

from engine.core.vocabulary.moment import Instant


class Passage:
    """One connection, from its login on. Whoever sends over it tells what of his has arrived."""

    __slots__ = ("_arrived", "_heard_at")

    def __init__(self) -> None:
        self._arrived = Instant(0.0)
        """When the latest of what has arrived left, and all that left at the same time."""
        self._heard_at: Instant | None = None
        """When the last news came."""

    def has_arrived(self, left_at: Instant, now: Instant) -> None:
        """What left then is acknowledged."""
        self._arrived = max(self._arrived, left_at)
        self._heard_at = now

    def travels_until(self, left_at: Instant, now: Instant, patience: float) -> Instant | None:
        """Until when what left then may be under way still; None when it should have arrived by now.

        `patience`: seconds without any news after which nobody is believed to be under way.
        """
        if self._heard_at is None or left_at <= self._arrived:
            return None
        until = Instant(self._heard_at + patience)
        return until if until > now else None
