"""Randomness as a port: the core asks for identifiers and choices, it never makes them up.

The live host plugs in the operating system, the simulator a seeded generator; that is what makes a run replayable.
"""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from engine.core.vocabulary.moment import Duration


class Entropy(Protocol):
    """Where identifiers, free choices and jitter come from."""

    def new_uuid(self) -> UUID:
        """A version 4 UUID that was never handed out before."""
        ...

    def choose_index(self, count: int) -> int:
        """A number from 0 to `count - 1`; `count` is at least 1."""
        ...

    def jitter(self, base: Duration) -> Duration:
        """A duration from 0 to a quarter of `base`, to be added to it (protocol.md 3.5: retries are imprecise)."""
        ...
