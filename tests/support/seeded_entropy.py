"""Chance that a seed rules."""

from __future__ import annotations

import random
from uuid import UUID

from engine.core.vocabulary.moment import Duration


class SeededEntropy:
    """The core's chance, drawn from dice of a test."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def new_uuid(self) -> UUID:
        return UUID(int=self._dice.getrandbits(128))

    def choose_index(self, count: int) -> int:
        return self._dice.randrange(count)

    def jitter(self, base: Duration) -> Duration:
        return Duration(self._dice.random() * base / 4)
