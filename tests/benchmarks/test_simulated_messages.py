"""How many messages a second the simulator carries, checkers included, on one core."""

from __future__ import annotations

from collections.abc import Callable

from engine.sim.questions import simulate_seed
from engine.sim.scenario_reading import standard_scenario
from tests.benchmarks.measure import in_turns

SEEDS = 10


def test_simulated_messages(show: Callable[[str, list[list[str]]], None]) -> None:
    scenario = standard_scenario()
    messages = 0

    def run() -> int:
        nonlocal messages
        reports = [simulate_seed(scenario, seed) for seed in range(SEEDS)]
        messages = sum(report.figures.messages for report in reports)
        return SEEDS

    figure = in_turns({"standard scenario": run}, rounds=5)["standard scenario"]
    each = messages / SEEDS
    rows = [["scenario", "seeds/s", "messages a seed", "messages/s", "messages/s, slowest round"]]
    rows.append(
        [
            "standard",
            f"{1 / figure.median:.1f}",
            f"{each:.0f}",
            f"{each / figure.median:.0f}",
            f"{each / figure.slowest:.0f}",
        ]
    )
    show("simulator, one core", rows)
