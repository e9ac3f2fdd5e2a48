"""`Tenure`: a lease as its holder sees it, with the moment at which it ends unless it is renewed."""

from __future__ import annotations

import math
from typing import Final

from engine.core.vocabulary.identifiers import FencingNumber
from engine.core.vocabulary.moment import Duration
from engine.hosting.clock import SYSTEM_CLOCK, HostClock
from engine.hosting.leases import Lease

MARGIN: Final = 1 / 8
"""Part of a lease that its holder leaves unused: by far more than two clocks run apart in that time."""


class Tenure:
    """Measured from before the book was asked, so that it ends here before it ends there."""

    __slots__ = ("_clock", "_ends", "lease")

    def __init__(self, lease: Lease | None = None, clock: HostClock = SYSTEM_CLOCK) -> None:
        """Without `prolong` it has no end: then the lock on the store's file decides who is the owner."""
        self.lease = lease
        self._ends = math.inf
        self._clock = clock

    @property
    def fence(self) -> FencingNumber | None:
        """What every commit carries; None where the lock decides."""
        return None if self.lease is None or self._ends == math.inf else self.lease.fence

    def prolong(self, asked_at: float, seconds: Duration) -> None:
        """It was given or renewed for so long; `asked_at` is a reading of `HostClock.lasting_seconds`."""
        self._ends = asked_at + seconds * (1 - MARGIN)

    def is_over(self) -> bool:
        """Whether somebody else may have the instance by now."""
        return self._clock.lasting_seconds() >= self._ends
