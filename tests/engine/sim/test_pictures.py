"""Nothing that a picture shows changes without an event: the law of ADR 25 in every shipped world, turn by turn."""

import pytest

from engine.sim import server
from engine.sim.scenario_reading import shipped_scenario, shipped_scenarios
from engine.sim.simulation import run
from tests.support.picture_watching import WatchedDriver

SEEDS = range(4)


@pytest.mark.parametrize("world", sorted(shipped_scenarios()))
@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_held_and_what_is_told_since_make_what_is_there(world, seed, monkeypatch):
    monkeypatch.setattr(server, "InstanceDriver", WatchedDriver)
    monkeypatch.setattr(WatchedDriver, "turns", 0)
    report = run(shipped_scenario(world), seed)
    assert report.valid, report.findings[0]
    assert WatchedDriver.turns > 100, "there was something to follow"
