"""The reports of `simulate` as lines for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from brokerweb.operations.simulated_worlds import Worlds
from engine.api import simulation

FINDINGS_SHOWN = 5
"""Of one seed; `--json` has all of them."""


def replay_command(scenario_file: str | None, seed: int) -> str:
    """What somebody types to see one seed again."""
    file = f"{shlex.quote(scenario_file)} " if scenario_file else ""
    return f"manage.py simulate {file}--first-seed {seed} --seeds 1 --json"


def told_of_seed(report: simulation.SeedReport, scenario_file: str | None) -> Iterator[str]:
    """What was found in one run, and how to see it again."""
    yield f"seed {report.seed}: {len(report.findings)} findings"
    for finding in report.findings[:FINDINGS_SHOWN]:
        yield f"  {finding}"
    yield f"  again: {replay_command(scenario_file, report.seed)}"


def told_of_stop(judged: int, seeds: range) -> str:
    """How far it was when somebody stopped it, and how to go on. Seeds are judged in their order."""
    return f"stopped after {judged} of {len(seeds)} seeds; go on with --first-seed {seeds.start + judged}"


def told_of_sweep(summary: simulation.SweepSummary) -> Iterator[str]:
    """What all runs together have shown."""
    yield f"{summary.seeds} seeds, {summary.invalid} with findings, {summary.converged} came to rest"
    for checker, seeds in sorted(summary.findings.items()):
        yield f"  {checker}: in {seeds} seeds"
    yield (
        f"{summary.messages} messages, {summary.received} received; {summary.faults} faults struck, "
        f"{summary.deaths} processes died"
    )
    yield (
        f"{summary.transmissions} transmissions of {summary.committed_remote} messages "
        f"({summary.amplification:.3f} each), {summary.acknowledgements} acknowledgements alone"
    )
    yield f"at rest at most {summary.slowest_seconds:.0f} virtual seconds after the last fault"


def told_of_worlds(reports: Sequence[simulation.SeedReport], worlds: Worlds) -> Iterator[str]:
    """How much of it each world was, where there are several."""
    if len(worlds.each) == 1:
        return
    for world in worlds.each:
        own = [report for report in reports if worlds.of(report.seed) is world]
        found = sum(not report.valid for report in own)
        yield f"{world.scenario.name}: {len(own)} seeds, {found} with findings"
