"""`compare`: two answers to one question, matched hop by hop (product.md 1b, 4)."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from engine.whatif.disposition import FlowChange, Light
from engine.whatif.telling import ToldAnswer, ToldDifference, ToldHop, ToldLeg, ToldStep, ToldStepChange, ToldWay


def compare(before: ToldAnswer, after: ToldAnswer) -> ToldDifference:
    """What became of a flow, and the hops that are other ones; every leg by its most likely way."""
    steps: list[ToldStepChange] = []
    for one, other in zip(before.legs, after.legs, strict=True):
        steps += _changes(one, other)
    return ToldDifference(
        change=_change(before, after, has_moved=bool(steps)),
        before=before.disposition,
        after=after.disposition,
        steps=tuple(steps),
    )


def completes(light: Light, acknowledged: Light) -> bool:
    """Whether a flow works: what is sent arrives, at least by some way, and its sender can hear of it."""
    return light in (Light.GREEN, Light.AMBER) and acknowledged in (Light.GREEN, Light.AMBER)


def _change(before: ToldAnswer, after: ToldAnswer, *, has_moved: bool) -> FlowChange:
    worked, works = (completes(each.legs[0].light, each.legs[1].light) for each in (before, after))
    if worked is not works:
        return FlowChange.GAINED if works else FlowChange.LOST
    is_same = [leg.light for leg in before.legs] == [leg.light for leg in after.legs]
    return FlowChange.UNCHANGED if is_same and not has_moved else FlowChange.MOVED


def _changes(before: ToldLeg, after: ToldLeg) -> list[ToldStepChange]:
    ones, others = _steps(before), _steps(after)
    found: list[ToldStepChange] = []
    matcher = SequenceMatcher(a=ones, b=others, autojunk=False)
    for what, start, end, at, until in matcher.get_opcodes():
        if what == "equal":
            continue
        gone, come = ones[start:end], others[at:until]
        found += [ToldStepChange(leg=after.kind, before=one, after=other) for one, other in zip_longest(gone, come)]
    return found


def _steps(leg: ToldLeg) -> list[ToldStep]:
    way: ToldWay | None = leg.ways[0] if leg.ways else None
    return [] if way is None else [_step(hop) for hop in way.hops]


def _step(hop: ToldHop) -> ToldStep:
    return ToldStep(
        instance=hop.instance,
        table=hop.table,
        route=hop.route,
        address=hop.address,
        database=hop.database,
        number=None if hop.number is None else hop.number.number,
    )
