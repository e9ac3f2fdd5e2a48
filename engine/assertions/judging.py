"""Whether what comes of a question is what was expected of it, aspect by aspect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.assertions.assertion import Aspect, End, Expectation, Outcome, PathStep, Place
from engine.whatif.disposition import ARRIVED

_WHOLE: Final = 0.9999
"""Shares are sums of fractions."""


def failed_aspects(expected: Expectation, outcome: Outcome) -> tuple[Aspect, ...]:
    """What does not hold; for ways that were not followed nothing but `works` is known to hold."""
    ends = outcome.ends
    is_certain = outcome.followed >= _WHOLE
    failed = []
    if expected.works is not None and expected.works is not outcome.works:
        failed.append(Aspect.WORKS)
    if expected.disposition is not None and not (
        is_certain and all(end.disposition is expected.disposition for end in ends)
    ):
        failed.append(Aspect.DISPOSITION)
    if expected.reaches and not (is_certain and all(_reaches(end, expected.reaches) for end in ends)):
        failed.append(Aspect.REACHES)
    if expected.path is not None and not (is_certain and all(_is_path(end.path, expected.path) for end in ends)):
        failed.append(Aspect.PATH)
    if expected.number is not None and not (is_certain and all(end.number == expected.number for end in ends)):
        failed.append(Aspect.NUMBER)
    return tuple(failed)


def _reaches(end: End, places: Sequence[Place]) -> bool:
    return end.disposition in ARRIVED and any(
        place.instance == end.instance and _is_same(place.database, end.database) for place in places
    )


def _is_path(taken: Sequence[PathStep], expected: Sequence[PathStep]) -> bool:
    return len(taken) == len(expected) and all(map(_is_step, taken, expected))


def _is_step(taken: PathStep, expected: PathStep) -> bool:
    return (
        _is_same(expected.route, taken.route)
        and expected.instance in (None, taken.instance)
        and (expected.database is None or _is_same(expected.database, taken.database))
    )


def _is_same(one: str | None, other: str | None) -> bool:
    """Names of databases and routes are the same in any letter case."""
    return one == other if one is None or other is None else one.casefold() == other.casefold()
