"""A scenario that is played: a sandbox after its prologue, in which a test does what a trainee does."""

from __future__ import annotations

from collections.abc import Iterable

from engine.sandbox import FaultBegun, FaultEnded, OwnHands
from engine.sim.entropy import Dice, SeededEntropy
from engine.training.playing import GradedSandbox, begin, take_steps
from engine.training.scenario import Scenario, Step
from engine.tsql.console.outputs import ConsoleOutput
from engine.whatif.faults import Fault


class TrainingWorld(GradedSandbox):
    """The sandbox as a grader sees it, with hands."""

    def __init__(self, scenario: Scenario, *, seed: int = 7) -> None:
        self.played = begin(scenario, seed=seed)
        self.sandbox = self.played.sandbox
        super().__init__(self.sandbox, self.played.manifest, self.played.beginning)
        self._ids = SeededEntropy(Dice(seed, "trainee"))

    def take(self, steps: Iterable[Step]) -> list[ConsoleOutput]:
        """The steps of a solution, or of another way."""
        return take_steps(OwnHands(self.sandbox), steps, self._ids)

    def wait(self, seconds: float) -> None:
        self.sandbox.advance(self.sandbox.seconds + seconds)

    def strike(self, fault: Fault) -> None:
        self.sandbox.perform(FaultBegun(fault=fault))

    def mend(self, fault: Fault) -> None:
        self.sandbox.perform(FaultEnded(fault=fault))
