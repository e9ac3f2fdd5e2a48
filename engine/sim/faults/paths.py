"""Paths between neighbours: connections that break, partitions in both directions or one, paths that are slow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import InstanceName
from engine.sim.entropy import Dice
from engine.sim.faults.kind import INSTANT, Fault, FaultKind, Struck, Subject, Undo, nothing_to_undo
from engine.sim.network import LinkProfile, Path, dialled
from engine.sim.scenario import Scenario


def neighbours(scenario: Scenario) -> list[tuple[InstanceName, InstanceName]]:
    """Pairs of instances between which some route leads, each once; an instance that calls itself is both of a pair."""
    by_address = {instance.address: instance.name for instance in scenario.instances}
    pairs: dict[tuple[InstanceName, InstanceName], None] = {}
    for instance in scenario.instances:
        for address in instance.all_addresses():
            other = by_address.get(dialled(address, instance.name))
            if other is not None:
                first, second = sorted((instance.name, other))
                pairs[first, second] = None
    return list(pairs)


def _choose(scenario: Scenario, dice: Dice) -> Subject | None:
    pairs = neighbours(scenario)
    if not pairs:
        return None
    ends = list(dice.choose(pairs))
    dice.shuffle(ends)
    return Subject(instance=ends[0], other=ends[1], amount=dice.scale(2.0, 100.0))


def _both(fault: Fault, struck: Struck) -> list[Path]:
    here, there = fault.subject.instance, fault.subject.other
    ways = dict.fromkeys([(here, there), (there, here)])
    return [struck.network.path(*way) for way in ways]


def _tear(fault: Fault, struck: Struck) -> Undo | None:
    here, there = fault.subject.instance, fault.subject.other
    links = [link for link in struck.servers[here].links() if link.ends == (here, there)]
    for link in links:
        link.tear()
    return nothing_to_undo if links else None


def _cut(paths: Sequence[Path]) -> Undo:
    for path in paths:
        path.cut()
    return partial(_mend, paths)


def _mend(paths: Sequence[Path]) -> None:
    for path in paths:
        path.mend()


def _slow_down(fault: Fault, struck: Struck) -> Undo:
    paths = _both(fault, struck)
    usual = [path.profile for path in paths]
    for path in paths:
        slower = path.profile.latency_ms * fault.subject.amount
        path.profile = msgspec.structs.replace(path.profile, latency_ms=slower, jitter_ms=slower)
    return partial(_restore, paths, usual)


def _restore(paths: Sequence[Path], profiles: Sequence[LinkProfile]) -> None:
    for path, profile in zip(paths, profiles, strict=True):
        path.profile = profile


def _held(what: str, subject: Subject) -> tuple[str, ...]:
    return (what, *sorted((subject.instance, subject.other)))


KINDS: Final = (
    FaultKind(name="link-break", lasts=INSTANT, choose=_choose, strike=_tear, holds=partial(_held, "break")),
    FaultKind(
        name="partition",
        lasts=(0.5, 60.0),
        choose=_choose,
        strike=lambda fault, struck: _cut(_both(fault, struck)),
        holds=partial(_held, "path"),
    ),
    FaultKind(
        name="one-way-partition",
        lasts=(0.5, 60.0),
        choose=_choose,
        strike=lambda fault, struck: _cut(_both(fault, struck)[:1]),
        holds=partial(_held, "path"),
    ),
    FaultKind(name="slow-link", lasts=(1.0, 40.0), choose=_choose, strike=_slow_down, holds=partial(_held, "slow")),
)
