"""Sandboxes of sessions as a grader sees them: as they are now, or as they were after a line of their log."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from django.utils.translation import gettext as _

from brokerweb.common.database import release_connection
from brokerweb.common.errors import ScenarioChanged
from brokerweb.training.library import Scenario, scenario_named
from brokerweb.training.models import Mode, TrainingSession
from engine import api as engine

Grading = engine.training.Grading
Sandbox = engine.sandbox.Sandbox
Seen = TypeVar("Seen")

BEGINNINGS_KEPT = 64


def scenario_of(session: TrainingSession) -> Scenario:
    """The scenario of a session. Raises `ScenarioChanged` when its file is not what it was."""
    scenario = scenario_named(session.scenario)
    if scenario.digest != session.digest:
        raise ScenarioChanged(
            _("The scenario {name} has changed since this run began.").format(name=session.scenario),
            parameters={"scenario": session.scenario},
        )
    return scenario


def seen(session: TrainingSession, at: Callable[[Sandbox], Seen]) -> Seen:
    """What `at` sees in the sandbox of a running session, now. Raises `ScenarioChanged`, `EngineUnavailable`."""
    scenario_of(session)
    # Others may be at work in the sandbox, one after another.
    release_connection()
    return engine.sandboxes.sandbox_keeper().look(session.sandbox, at)


def graded(session: TrainingSession, sandbox: Sandbox, *, has_given_up: bool = False) -> Grading:
    """What the run is worth in this state."""
    scenario = scenario_of(session)
    beginning = _beginning(session.scenario, session.digest, session.seed)
    return engine.training.grade(
        scenario,
        engine.training.GradedSandbox(sandbox, _manifest(sandbox), beginning),
        hints_taken=range(1, session.hints_taken + 1),
        mode=Mode(session.mode),
        has_given_up=has_given_up,
    )


def played(session: TrainingSession, seconds: float, at: Callable[[Sandbox], Seen]) -> Seen:
    """What `at` sees in the sandbox as it was at a second of its time, everything done that was done by then.

    Raises `ScenarioChanged`, and `SandboxRestoring` when it takes a while: then ask again.
    """
    scenario_of(session)
    by_then = session.entries.filter(at_seconds__lte=seconds)
    last = by_then.order_by("-sequence").values_list("sequence", flat=True).first() or 0
    return engine.sandboxes.sandbox_player().look(session.sandbox, last, seconds, at)


def _manifest(sandbox: Sandbox) -> engine.training.Manifest:
    """Who has taken down what became of conversations, from the beginning; every sandbox here has one."""
    (found,) = [each for each in sandbox.observers if isinstance(each, engine.training.Manifest)]
    return found


@lru_cache(maxsize=BEGINNINGS_KEPT)
def _beginning(scenario: str, digest: str, seed: int) -> engine.training.Beginning:
    """What the trainee has found; made once, for it is the same whenever it is made."""
    return engine.training.begin(scenario_named(scenario), seed=seed).beginning
