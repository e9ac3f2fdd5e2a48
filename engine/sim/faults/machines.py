"""Disks that are full or slow, and clocks that somebody sets."""

from __future__ import annotations

from typing import Final

from engine.sim.entropy import Dice
from engine.sim.faults.kind import (
    INSTANT,
    Fault,
    FaultKind,
    Struck,
    Subject,
    Undo,
    any_instance,
    nothing_to_undo,
)
from engine.sim.scenario import Scenario

CLOCK_STEP_SECONDS_MAX: Final = 600.0
"""Less than the half hour for which a closed target guards against replays: beyond that nothing is promised."""


def _fill(fault: Fault, struck: Struck) -> Undo:
    store = struck.servers[fault.subject.instance].store
    store.is_full = True

    def make_room() -> None:
        store.is_full = False

    return make_room


def _slow_down(fault: Fault, struck: Struck) -> Undo:
    server = struck.servers[fault.subject.instance]
    usual = server.turn_seconds
    server.turn_seconds = usual * fault.subject.amount

    def speed_up() -> None:
        server.turn_seconds = usual

    return speed_up


def _step(fault: Fault, struck: Struck) -> Undo:
    struck.servers[fault.subject.instance].clock.step(fault.subject.amount)
    return nothing_to_undo


def _slow_disk(scenario: Scenario, dice: Dice) -> Subject:
    return Subject(instance=dice.choose(scenario.instances).name, amount=dice.scale(10.0, 500.0))


def _clock(scenario: Scenario, dice: Dice) -> Subject:
    seconds = dice.between(-CLOCK_STEP_SECONDS_MAX, CLOCK_STEP_SECONDS_MAX)
    return Subject(instance=dice.choose(scenario.instances).name, amount=seconds)


KINDS: Final = (
    FaultKind(
        name="disk-full",
        lasts=(1.0, 30.0),
        choose=any_instance,
        strike=_fill,
        holds=lambda subject: ("disk-full", subject.instance),
    ),
    FaultKind(
        name="slow-disk",
        lasts=(1.0, 30.0),
        choose=_slow_disk,
        strike=_slow_down,
        holds=lambda subject: ("slow-disk", subject.instance),
    ),
    FaultKind(
        name="clock-step",
        lasts=INSTANT,
        choose=_clock,
        strike=_step,
        holds=lambda subject: ("clock-step", subject.instance),
    ),
)
