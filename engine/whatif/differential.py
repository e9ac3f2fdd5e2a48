"""`compare`: two answers to one question, matched hop by hop (product.md 1b, 4)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TypeVar

from engine.whatif.disposition import FlowChange, Light
from engine.whatif.telling import ToldAnswer, ToldDifference, ToldHop, ToldLeg, ToldStep, ToldStepChange, ToldWay

Step = TypeVar("Step", bound=Hashable)


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


def matched(before: Sequence[Step], after: Sequence[Step]) -> Iterator[tuple[int | None, int | None]]:
    """The steps of two ways side by side, by their places: the same ones beside each other, and between them the rest.

    None where nothing corresponds.
    """
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    for _, start, end, at, until in matcher.get_opcodes():
        yield from zip_longest(range(start, end), range(at, until))


def _changes(before: ToldLeg, after: ToldLeg) -> Iterator[ToldStepChange]:
    ones, others = _steps(before), _steps(after)
    for one, other in matched(ones, others):
        was, now = None if one is None else ones[one], None if other is None else others[other]
        if was != now:
            yield ToldStepChange(leg=after.kind, before=was, after=now)


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
