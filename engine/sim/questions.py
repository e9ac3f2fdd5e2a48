"""What leaves the simulator: one report for each seed of a scenario, and what all of them amount to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from engine.sim.report import SeedReport
from engine.sim.scenario import Scenario
from engine.sim.scenario_reading import read_scenario, shipped_scenario, shipped_scenarios, standard_scenario
from engine.sim.simulation import run

__all__ = [
    "Scenario",
    "SeedReport",
    "SweepSummary",
    "read_scenario",
    "shipped_scenario",
    "shipped_scenarios",
    "simulate_seed",
    "standard_scenario",
    "summarize",
]


class SweepSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Many runs together. Sums over all seeds."""

    seeds: int = 0
    invalid: int = 0
    """Seeds with a finding."""
    findings: dict[str, int] = {}
    """By checker: seeds in which it found something."""
    messages: int = 0
    received: int = 0
    transmissions: int = 0
    committed_remote: int = 0
    acknowledgements: int = 0
    faults: int = 0
    deaths: int = 0
    converged: int = 0
    """Seeds in which nothing waited any more in the end."""
    slowest_seconds: float = 0.0
    """Longest time from the healing of the world to its rest; in virtual seconds."""

    @property
    def amplification(self) -> float:
        """Transmissions for each message that had to travel; 0 when there was none."""
        return self.transmissions / self.committed_remote if self.committed_remote else 0.0


def simulate_seed(scenario: Scenario, seed: int) -> SeedReport:
    """Run one seed and judge it. Deterministic: the same arguments give the same report."""
    return run(scenario, seed)


def summarize(reports: Iterable[SeedReport]) -> SweepSummary:
    """Add the reports up."""
    checkers: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    slowest = 0.0
    for report in reports:
        figures = report.figures
        checkers.update({finding.checker for finding in report.findings})
        for name in (
            "messages",
            "received",
            "transmissions",
            "committed_remote",
            "acknowledgements",
            "faults",
            "deaths",
        ):
            sums[name] += getattr(figures, name)
        sums["seeds"] += 1
        sums["invalid"] += not report.valid
        sums["converged"] += figures.rested_at is not None
        if figures.rested_at is not None:
            slowest = max(slowest, figures.rested_at - figures.healed_at)
    return SweepSummary(findings=dict(checkers), slowest_seconds=slowest, **sums)
