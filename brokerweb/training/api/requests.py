"""What clients of the operator training send."""

from __future__ import annotations

from typing import ClassVar

from ninja import Field
from pydantic import StrictInt

from brokerweb.common.api.shape import Request
from brokerweb.training.models import Mode
from brokerweb.whatif.api.schemas import FaultIn
from engine import api as engine

NAME_MAX = 128
SECONDS_MAX = 86_400.0
SEED_MAX = 2**48 - 1


class SessionBegin(Request):
    """A run that somebody wants to begin."""

    scenario: str = Field(max_length=100)
    mode: Mode
    seed: StrictInt | None = Field(default=None, ge=0, le=SEED_MAX)
    """The same seed makes the same run; without one, chance decides."""


class ScriptRun(Request):
    """T-SQL for a database of an instance."""

    takes_any_text: ClassVar[frozenset[str]] = frozenset({"script"})

    instance: str = Field(max_length=NAME_MAX)
    database: str = Field(max_length=NAME_MAX)
    script: str = Field(max_length=engine.console.SCRIPT_LENGTH_MAX)


class FaultGiven(Request):
    """A fault that begins or ends."""

    fault: FaultIn

    def asked(self) -> engine.what_if.Fault:
        """As the engine takes it."""
        return engine.what_if.Fault(**self.fault.dict())


class ClockRate(Request):
    rate: float = Field(ge=0, le=10_000, strict=True)
    """How many times as fast as the wall's; 0 is a pause, else 1 to 600."""


class ClockStep(Request):
    seconds: float = Field(gt=0, le=SECONDS_MAX, strict=True)


class Nothing(Request):
    """A request that says nothing more than its address."""


class GroupGiven(Request):
    """A group as its trainer wants it."""

    name: str = Field(min_length=1, max_length=100)
    members: list[str] = Field(max_length=200)
    """Names of users."""


class MomentAsked(Request):
    seconds: float = Field(ge=0, le=10**9)
    """By the time of the sandbox."""
