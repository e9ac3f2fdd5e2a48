"""Which world a seed of `simulate` runs in: the one that was named, or each of those that are shipped in turn."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from engine.api import simulation

ALL = "all"


class SimulatedWorld(NamedTuple):
    """A scenario and what the command line calls it; nothing for the standard world."""

    argument: str | None
    scenario: simulation.Scenario


class Worlds(NamedTuple):
    """The worlds of one command; seed n runs in number n, counted from 0 and round and round."""

    each: tuple[SimulatedWorld, ...]

    def of(self, seed: int) -> SimulatedWorld:
        """The world of a seed. With the seed alone it is the same run as in a command for that world only."""
        return self.each[seed % len(self.each)]

    def simulate(self, seed: int) -> simulation.SeedReport:
        """Run one seed in its world and judge it."""
        return simulation.simulate_seed(self.of(seed).scenario, seed)


def shipped_worlds(argument: str | None) -> Worlds | None:
    """What comes with the product under a name, `all` for all of it; None for a file."""
    if argument is None:
        return Worlds((SimulatedWorld(None, simulation.standard_scenario()),))
    names = simulation.shipped_scenarios()
    if argument not in (ALL, *names) or Path(argument).exists():
        return None
    wanted = names if argument == ALL else (argument,)
    return Worlds(tuple(SimulatedWorld(name, simulation.shipped_scenario(name)) for name in wanted))
