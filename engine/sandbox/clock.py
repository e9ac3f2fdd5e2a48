"""`SandboxClock`: how far the time of a sandbox has come when a clock on the wall shows something. Arithmetic only."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.sandbox.spec import BadSandbox

RATE_MAX: Final = 600.0
RUNS_WALL_SECONDS_MAX: Final = 1_800.0
RUNS_SECONDS_MAX: Final = 3_600.0
"""A clock that nobody has touched for so long, on the wall or in the sandbox, stands still by itself.

Whoever looks afterwards has to catch up: an hour of a sandbox is seconds of a processor.
"""
LASTS_SECONDS_MAX: Final = 86_400.0
"""The last second of a sandbox: it has one day. What may happen in it has a bound of its own (`HAPPENINGS_MAX`)."""
RENEWED_AT: Final = 1 / 3
"""When so much of what it may run by itself is used up, a clock that is looked at is set anew."""


class SandboxClock(msgspec.Struct, frozen=True, kw_only=True):
    """The anchor: what both clocks showed when it was set, and how fast the one of the sandbox goes since."""

    seconds: float = 0.0
    """Of the sandbox."""
    wall_seconds: float = 0.0
    rate: float = 0.0
    """0 stands still, 1 goes as the wall's, `RATE_MAX` at most."""

    @property
    def is_running(self) -> bool:
        """Whether time passes at all."""
        return self.rate > 0

    def seconds_at(self, wall_seconds: float) -> float:
        """What it shows then. A wall clock that has gone back takes nothing away."""
        passed = min(max(wall_seconds - self.wall_seconds, 0.0), RUNS_WALL_SECONDS_MAX)
        reached = self.seconds + min(passed * self.rate, RUNS_SECONDS_MAX)
        return max(min(reached, LASTS_SECONDS_MAX), self.seconds)

    def has_run_out(self, wall_seconds: float) -> bool:
        """Whether it stands still because nobody has touched it for long, or the day of the sandbox is over."""
        is_over = self.seconds_at(wall_seconds) >= LASTS_SECONDS_MAX
        return self.is_running and (is_over or self._used(wall_seconds) > 1.0)

    def wants_renewal(self, wall_seconds: float) -> bool:
        """Whether it is to be set anew, as it goes, when somebody looks at it."""
        return not self.has_run_out(wall_seconds) and self._used(wall_seconds) > RENEWED_AT

    def _used(self, wall_seconds: float) -> float:
        """The share of what it may run by itself that is used up."""
        passed = max(wall_seconds - self.wall_seconds, 0.0)
        return max(passed / RUNS_WALL_SECONDS_MAX, passed * self.rate / RUNS_SECONDS_MAX) if self.is_running else 0.0


def check_rate(rate: float) -> None:
    """Raises `BadSandbox`."""
    if not (rate == 0.0 or 1.0 <= rate <= RATE_MAX):
        raise BadSandbox("rate of a clock", rate, f"it must be 0, or between 1 and {RATE_MAX:g}")
