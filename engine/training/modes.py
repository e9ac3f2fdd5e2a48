"""What each way of playing allows."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec


class Mode(StrEnum):
    """How a scenario is played."""

    LEARN = "learn"
    """Everything is shown when it is asked for, and nothing is counted."""
    PRACTISE = "practise"
    """As often as one likes; hints cost, the best score is kept."""
    EXAM = "exam"
    """Alone and against the clock; what comes of it is told at the end."""


class ModeRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a mode allows."""

    has_hints: bool
    hints_cost: bool
    has_live_checks: bool
    """Tasks tell while one works whether they are done; without, only at the end."""
    tells_causes: bool
    """What tasks tell while one works names the cause where it is known; without, only what anybody sees."""
    has_solution: bool
    """*Give up and show*: the reference solution before the end; the score is 0 then, where it counts."""
    counts: bool
    """Whether a score is kept."""
    has_time_limit: bool
    """It ends when the scenario's minutes are over, on the clock of the wall."""
    may_stop_clock: bool
    """Pause, step and jump of the sandbox's clock."""
    ends_with_check: bool
    """One *Check* is all there is: it ends the run."""


MODE_RULES: Final[Mapping[Mode, ModeRules]] = {
    Mode.LEARN: ModeRules(
        has_hints=True,
        hints_cost=False,
        has_live_checks=True,
        tells_causes=True,
        has_solution=True,
        counts=False,
        has_time_limit=False,
        may_stop_clock=True,
        ends_with_check=False,
    ),
    Mode.PRACTISE: ModeRules(
        has_hints=True,
        hints_cost=True,
        has_live_checks=True,
        tells_causes=False,
        has_solution=True,
        counts=True,
        has_time_limit=False,
        may_stop_clock=True,
        ends_with_check=False,
    ),
    Mode.EXAM: ModeRules(
        has_hints=False,
        hints_cost=True,
        has_live_checks=False,
        tells_causes=False,
        has_solution=False,
        counts=True,
        has_time_limit=True,
        may_stop_clock=False,
        ends_with_check=True,
    ),
}
