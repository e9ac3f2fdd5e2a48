"""Stages on which mutants get their chance, and how a mutant is written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from engine.core.vocabulary.dialog_security import KeySuite
from engine.sim.scenario import Scenario
from engine.sim.scenario_reading import shipped_scenario
from tests.mutants.planting import Mutant, Patch

Stage = Callable[[Scenario], Scenario]


def mutant(name: str, *patches: Patch, by: tuple[str, ...], stage: Stage = lambda scenario: scenario) -> Mutant:
    return Mutant(name, patches, frozenset(by), stage)


def only(*flows: str, dialogs: tuple[int, int] | None = None, **faults: float) -> Stage:
    """A stage with these flows, so many dialogs of each, and these faults, all of them in every seed."""

    def make(scenario: Scenario) -> Scenario:
        return msgspec.structs.replace(
            scenario,
            flows=tuple(
                msgspec.structs.replace(flow, dialogs=dialogs or flow.dialogs)
                for flow in scenario.flows
                if flow.name in flows
            ),
            faults={name.replace("_", "-"): rate for name, rate in faults.items()},
            draws_subset=False,
        )

    return make


def in_world(world: str, *flows: str, reader: str = "transactions", **faults: float) -> Stage:
    """A stage in another world than the standard one, with one way to read and one suite of keys."""

    def make(scenario: Scenario) -> Scenario:
        found = shipped_scenario(world)
        found = msgspec.structs.replace(
            found,
            converges_within_seconds=scenario.converges_within_seconds,
            happenings_max=scenario.happenings_max,
            readers=(reader,),
            key_suites=(KeySuite.MD5,),
        )
        return only(*(flows or [flow.name for flow in found.flows]), **faults)(found)

    return make


def does_nothing(_: Any) -> Callable[..., None]:
    """What is left of a function that somebody forgot to write."""
    return lambda *arguments, **keywords: None
