"""Fault plans, drawn from the seed in the manner of a swarm: each seed enables some kinds of fault and not others.

A run with every kind of fault at once hides as much as it shows: crashes everywhere keep windows from ever filling,
lost messages keep connections from ever being idle. So each kind is on in about every third run, with a rate of its
own, and some runs have none at all.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.sim.entropy import Dice
from engine.sim.faults.catalogue import KINDS, RATES
from engine.sim.faults.kind import Fault, FaultKind
from engine.sim.scenario import Scenario

ENABLED_SHARE: Final = 0.35
"""Probability that a seed enables a kind of fault."""
RATE_SPAN: Final = 10.0
"""A seed draws the rate of a fault between what the scenario says and this fraction of it."""


class FaultPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that will go wrong in one run."""

    faults: tuple[Fault, ...]
    """By time."""
    rates: dict[str, float]

    def rate(self, name: str) -> float:
        """The rate of what goes on all the time; 0 when it is off."""
        return self.rates.get(name, 0.0)


def draw(scenario: Scenario, dice: Dice) -> FaultPlan:
    """What goes wrong in the run whose dice these are."""
    faults: list[Fault] = []
    rates: dict[str, float] = {}
    for name, most in scenario.faults.items():
        if most <= 0 or (scenario.draws_subset and not dice.chance(ENABLED_SHARE)):
            continue
        rate = dice.scale(most / RATE_SPAN, most) if scenario.draws_subset else most
        if name in RATES:
            rates[name] = rate
        else:
            faults += _strikes(scenario, KINDS[name], rate, dice)
    faults.sort(key=lambda fault: fault.at)
    return FaultPlan(faults=tuple(faults), rates=rates)


def _strikes(scenario: Scenario, kind: FaultKind, rate: float, dice: Dice) -> list[Fault]:
    """Every strike of one kind, so many a minute."""
    found: list[Fault] = []
    at = dice.about(60.0 / rate)
    while at < scenario.faults_seconds:
        lasts = min(dice.scale(*kind.lasts), scenario.faults_seconds - at)
        subject = kind.choose(scenario, dice)
        if subject is not None:
            found.append(Fault(at=at, kind=kind.name, lasts=lasts, subject=subject))
        at += dice.about(60.0 / rate)
    return found
