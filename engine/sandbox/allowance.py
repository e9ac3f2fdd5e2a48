"""`Allowance`: how long somebody may go on with a sandbox before others have their turn.

What a sandbox is does not depend on it: wherever work ends, the second that was reached is what the log is told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Worked = Callable[[], float]
"""Seconds that a processor has worked for whoever asks; only differences mean something."""


class Allowance:
    """So many seconds of a processor, from now on. It may be overdrawn by the piece of work that is begun last."""

    def __init__(self, worked: Worked, seconds: float) -> None:
        self._worked: Final = worked
        self._begun_at: Final = worked()
        self._ends_at: Final = self._begun_at + seconds

    @property
    def lasts(self) -> bool:
        """Whether something is left."""
        return self._worked() < self._ends_at

    @property
    def spent(self) -> float:
        """What was used so far."""
        return self._worked() - self._begun_at


class _Unbounded(Allowance):
    """For whoever has a sandbox alone and waits for it."""

    def __init__(self) -> None:
        super().__init__(lambda: 0.0, 0.0)

    @property
    def lasts(self) -> bool:
        return True


UNBOUNDED: Final[Allowance] = _Unbounded()
