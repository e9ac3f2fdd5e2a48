"""`SessionNumbers`: what @@SPID answers, another number in each session that a host has open."""

from __future__ import annotations

from itertools import count
from typing import Final

FIRST_NUMBER: Final = 51
"""The first one of a user; those below are the server's own."""


class SessionNumbers:
    """Numbers of one host, for any of its threads; the lowest that is free comes first."""

    def __init__(self) -> None:
        self._taken: dict[int, object] = {}

    def take(self) -> int:
        """A number that no other session has, until it is given back."""
        mine = object()
        # One operation of the dictionary, so that two threads never get the same one.
        return next(number for number in count(FIRST_NUMBER) if self._taken.setdefault(number, mine) is mine)

    def give_back(self, number: int) -> None:
        """The session is over; harmless when it was before."""
        self._taken.pop(number, None)
