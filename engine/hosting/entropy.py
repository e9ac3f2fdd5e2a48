"""Chance as the operating system gives it."""

from __future__ import annotations

import random
from uuid import UUID, uuid4

from engine.core.vocabulary.moment import Duration

_JITTER_SHARE = 0.25


class OperatingSystemEntropy:
    """Identifiers from the operating system; choices and jitter, where nothing is secret, from a seeded generator."""

    def __init__(self) -> None:
        self._generator = random.Random()  # noqa: S311

    def new_uuid(self) -> UUID:
        """A version 4 UUID."""
        return uuid4()

    def choose_index(self, count: int) -> int:
        """A number from 0 to `count - 1`."""
        return self._generator.randrange(count)

    def jitter(self, base: Duration) -> Duration:
        """A duration from 0 to a quarter of `base`."""
        return Duration(self._generator.uniform(0, base * _JITTER_SHARE))
