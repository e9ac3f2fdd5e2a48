"""What a run as a whole must show: it converges, costs no more than it should, and nothing broke by itself."""

from __future__ import annotations

from typing import Final

from engine.sim.checkers.checker import Checker
from engine.sim.counting import Counter
from engine.sim.history import Committed, Died, Entry, Remained, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario

JUDGED_FROM: Final = 50
"""Messages below which one late acknowledgement would decide about the amplification."""


class Convergence(Checker):
    """In bounded time after the last fault everything is delivered, and nothing waits."""

    name = "convergence"
    watches = (Remained,)

    def observe(self, entry: Entry) -> None:
        """Whatever remains is a finding."""
        if isinstance(entry, Remained):
            self.find(entry.at, entry.instance, entry.text)


class Amplification(Checker):
    """Transmissions for each message stay below what the scenario allows."""

    name = "amplification"
    watches = (Committed, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._counter = Counter(ledger)

    def observe(self, entry: Entry) -> None:
        """Count."""
        self._counter.observe(entry)

    def finish(self, at: float) -> None:
        """Judge the whole run."""
        figures = self._counter.figures(0)
        most = self.scenario.amplification_max
        if figures.committed_remote >= JUDGED_FROM and figures.amplification > most:
            text = f"{figures.transmissions} transmissions for {figures.committed_remote} messages, at most {most} each"
            self.find(at, next(iter(self.ledger.catalogs)), text)


class Health(Checker):
    """No process dies unless a fault of the plan kills it."""

    name = "health"
    watches = (Died,)

    def observe(self, entry: Entry) -> None:
        """An exception of the engine is a finding."""
        if isinstance(entry, Died) and entry.is_engine_fault:
            self.find(entry.at, entry.instance, entry.reason)
