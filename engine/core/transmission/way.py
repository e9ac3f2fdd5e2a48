"""`Way`: a passage to one broker over a link, and the conversations for which it has no room now (protocol.md 7.4)."""

from __future__ import annotations

from engine.core.transmission.waiting_line import WaitingLine
from engine.core.vocabulary.passage import Passage


class Way(Passage):
    """Hashed as itself: two ways are never equal."""

    __slots__ = ("is_serving", "turned_away")

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.turned_away = WaitingLine()
        """Those that wait for room."""
        self.is_serving = False
        """Those that wait have their turns just now."""

    @property
    def lets_in(self) -> bool:
        """Whether somebody waits, and there is room now."""
        return bool(self.turned_away) and self.has_room

    @property
    def takes_more(self) -> bool:
        """Whether whoever comes now may send: nobody passes those who wait, who have their turns one after another."""
        return self.has_room and (self.is_serving or not self.turned_away)
