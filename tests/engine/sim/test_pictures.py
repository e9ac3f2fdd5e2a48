"""Nothing that a picture shows changes without an event: the law of ADR 25 in every shipped world, turn by turn."""

from engine.sim import server
from engine.sim.scenario_reading import shipped_scenario, shipped_scenarios
from engine.sim.simulation import run
from tests.support.each import for_each
from tests.support.picture_watching import WatchedDriver
from tests.support.thoroughness import share

RUNS = [(world, seed) for seed in range(4) for world in sorted(shipped_scenarios())]


@for_each("world, seed", share(RUNS, 4))
def test_what_was_held_and_what_is_told_since_make_what_is_there(world, seed, monkeypatch):
    monkeypatch.setattr(server, "InstanceDriver", WatchedDriver)
    monkeypatch.setattr(WatchedDriver, "turns", 0)
    report = run(shipped_scenario(world), seed)
    assert report.valid, report.findings[0]
    assert WatchedDriver.turns > 100, "there was something to follow"
