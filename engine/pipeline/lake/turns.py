"""`in_turn`: what two may write at once is written one after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import SystemRandom
from typing import Final, TypeVar

from engine.pipeline.lake.writing import LakeBusy

PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 1.0, 2.0, 2.0)
"""Seconds between attempts; others export in batches of less than a second."""
LONG_PAUSES: Final = PAUSES + (5.0,) * 120
"""For who waits until a lake is compacted: some ten minutes in all."""
_chance: Final = SystemRandom()
Written = TypeVar("Written")


def in_turn(
    write: Callable[[], Written], pauses: Sequence[float] = PAUSES, heard: Callable[[], None] | None = None
) -> Written:
    """Whoever writes of the same instance meanwhile goes first; what is written does not depend on it.

    `heard` is called before each further attempt, and may give up. Raises what it raises, and `LakeBusy` when others
    write all the time.
    """
    for pause in pauses:
        try:
            return write()
        except LakeBusy:
            # Not all who wait at the same moment.
            time.sleep(pause * _chance.uniform(0.5, 1.5))
            if heard is not None:
                heard()
    return write()
