"""`SandboxClock`: how far the time of a sandbox has come when a clock on the wall shows something. Arithmetic only."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.sandbox.spec import BadSandbox

RATE_MAX: Final = 600.0
RUNS_WALL_SECONDS_MAX: Final = 1_800.0
RUNS_SECONDS_MAX: Final = 7 * 86_400.0
"""A clock that nobody has touched for so long, on the wall or in the sandbox, stands still by itself."""


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
        return self.seconds + min(passed * self.rate, RUNS_SECONDS_MAX)

    def has_run_out(self, wall_seconds: float) -> bool:
        """Whether it stands still because nobody has touched it for long."""
        passed = max(wall_seconds - self.wall_seconds, 0.0)
        return self.is_running and (passed > RUNS_WALL_SECONDS_MAX or passed * self.rate > RUNS_SECONDS_MAX)

    def wall_seconds_of(self, seconds: float) -> float | None:
        """When it will show that; None when it never will by itself."""
        if seconds <= self.seconds:
            return self.wall_seconds
        if not self.is_running or seconds > self.seconds + RUNS_SECONDS_MAX:
            return None
        passed = (seconds - self.seconds) / self.rate
        return self.wall_seconds + passed if passed <= RUNS_WALL_SECONDS_MAX else None


def check_rate(rate: float) -> None:
    """Raises `BadSandbox`."""
    if not (rate == 0.0 or 1.0 <= rate <= RATE_MAX):
        raise BadSandbox(f"a clock stands still at 0 or goes 1 to {RATE_MAX:g} times as fast, not {rate:g} times")
