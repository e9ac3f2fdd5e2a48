"""Sandboxes of sessions as a grader sees them: as they are now, or as they were after a line of their log."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from django.utils.translation import gettext as _

from brokerweb.common.errors import ScenarioChanged
from brokerweb.training.entry_log import entry_of
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


def world_after(session: TrainingSession, sequence: int, seconds: float | None = None) -> Sandbox:
    """A sandbox of one's own in the state after a line of the log, and at a later second if one is given."""
    spec = engine.training.spec_of(scenario_of(session), seed=session.seed)
    sandbox = Sandbox(spec, [engine.training.Manifest()])
    rows = session.entries.filter(sequence__lte=sequence).order_by("sequence")
    sandbox.replay(entry_of(row) for row in rows)
    if seconds is not None:
        sandbox.advance(seconds)
    return sandbox


def _manifest(sandbox: Sandbox) -> engine.training.Manifest:
    """Who has taken down what became of conversations, from the beginning; every sandbox here has one."""
    (found,) = [each for each in sandbox.observers if isinstance(each, engine.training.Manifest)]
    return found


@lru_cache(maxsize=BEGINNINGS_KEPT)
def _beginning(scenario: str, digest: str, seed: int) -> engine.training.Beginning:
    """What the trainee has found; made once, for it is the same whenever it is made."""
    return engine.training.begin(scenario_named(scenario), seed=seed).beginning
