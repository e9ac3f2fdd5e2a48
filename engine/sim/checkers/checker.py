"""`Checker`: one property of a run, judged from the journal and the ledger alone."""

from __future__ import annotations

from typing import ClassVar, Final

from engine.core.vocabulary.identifiers import InstanceName
from engine.sim.history import Entry, Kinds
from engine.sim.ledger import Ledger
from engine.sim.report import Finding
from engine.sim.scenario import Scenario

FINDINGS_MAX: Final = 10
"""Findings that one checker tells of one run; what is broken is mostly broken many times."""


class Checker:
    """Observes entries, after the ledger did, and gathers what must not be."""

    name: ClassVar[str]
    watches: ClassVar[Kinds]

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        self.scenario = scenario
        self.ledger = ledger
        self.findings: list[Finding] = []

    def observe(self, entry: Entry) -> None:
        """Look at one entry."""
        raise NotImplementedError

    def finish(self, at: float) -> None:
        """The run is over: judge what can only be judged now."""

    def find(self, at: float, instance: InstanceName, text: str) -> None:
        """Something that must not be."""
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(checker=self.name, at=at, instance=instance, text=text))
