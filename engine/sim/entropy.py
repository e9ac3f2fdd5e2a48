"""Chance that one seed rules. The only module of the engine that imports `random`.

Every part of a simulation throws its own dice, so that one more throw in the network leaves the workload as it was.
"""

from __future__ import annotations

import random
from collections.abc import MutableSequence, Sequence
from typing import TypeVar
from uuid import UUID

from engine.core.vocabulary.moment import Duration

Choice = TypeVar("Choice")


class Dice:
    """The dice of one part of the world; the same seed and name give the same throws on every machine."""

    def __init__(self, seed: int, name: str) -> None:
        self._random = random.Random(f"{seed}/{name}")  # noqa: S311 - reproducible chance is what is wanted

    def chance(self, probability: float) -> bool:
        """True with this probability; no throw is made when it is 0, so that what is switched off changes nothing."""
        return probability > 0 and self._random.random() < probability

    def between(self, low: float, high: float) -> float:
        """A number from `low` to `high`, each equally likely."""
        return low + (high - low) * self._random.random()

    def about(self, mean: float) -> float:
        """A duration of this mean, exponentially distributed and cut at ten times the mean."""
        return min(self._random.expovariate(1.0), 10.0) * mean

    def scale(self, low: float, high: float) -> float:
        """A number from `low` to `high`, both above 0, where each order of magnitude is equally likely."""
        return float(low * (high / low) ** self._random.random())

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def choose(self, options: Sequence[Choice]) -> Choice:
        """One of the options, of which there is at least one."""
        return options[self._random.randrange(len(options))]

    def shuffle(self, options: MutableSequence[Choice]) -> None:
        """Put the options into another order."""
        self._random.shuffle(options)

    def uuid(self) -> UUID:
        """A version 4 UUID."""
        return UUID(int=self._random.getrandbits(128), version=4)


class SeededEntropy:
    """The core's `Entropy` port over dice."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    def new_uuid(self) -> UUID:
        """A version 4 UUID that was never handed out before."""
        return self._dice.uuid()

    def choose_index(self, count: int) -> int:
        """A number from 0 to `count - 1`."""
        return self._dice.number(0, count - 1)

    def jitter(self, base: Duration) -> Duration:
        """A duration from 0 to a quarter of `base`."""
        return Duration(self._dice.between(0.0, base / 4))
