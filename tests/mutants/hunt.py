"""Lets seeds run with a mutant in the engine, and counts which checkers catch it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from engine.sim.scenario import Scenario
from engine.sim.scenario_reading import standard_scenario
from engine.sim.simulation import run
from tests.mutants.planting import Mutant

CONVERGES_WITHIN_SECONDS = 300.0
HAPPENINGS_MAX = 150_000
"""A mutant may make alarms ring for ever; a sound engine needs a tenth of this."""


@dataclass(frozen=True)
class Catch:
    """What became of one mutant."""

    mutant: str
    seeds: int
    by: dict[str, int] = field(default_factory=dict)
    """Seeds in which each checker has found something."""
    is_caught: bool = False
    """Whether a checker that is meant to find it has."""


def hunt(mutant: Mutant, seeds: Iterable[int], *, until_caught: bool = False) -> Catch:
    """Let the seeds run with the mutant planted; with `until_caught` no more of them than are needed."""
    scenario = mutant.stage(limited(standard_scenario()))
    by: Counter[str] = Counter()
    count = 0
    with mutant.planted():
        for seed in seeds:
            count += 1
            by.update({finding.checker for finding in run(scenario, seed).findings})
            if until_caught and mutant.caught_by & by.keys():
                break
    return Catch(mutant.name, count, dict(by), bool(mutant.caught_by & by.keys()))


def limited(scenario: Scenario) -> Scenario:
    """A world that is given up early."""
    return msgspec.structs.replace(
        scenario, converges_within_seconds=CONVERGES_WITHIN_SECONDS, happenings_max=HAPPENINGS_MAX
    )
