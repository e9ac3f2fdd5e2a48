"""Results of assertions and their coverage, as lines to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine import api as engine

LISTED_MAX: Final = 50
"""Routes or flows of one kind that are listed; the others are counted."""


def told(run: engine.assertions.Run, coverage: engine.assertions.Coverage, wanted: float | None) -> Iterator[str]:
    """A line for each assertion, the proof of those that failed, and then what they exercise."""
    for result in run.results:
        word = "ok     " if result.passed else "FAILED "
        yield f"{word} {result.assertion.name}: {result.actual}"
        if not result.passed:
            yield f"        Expected: {result.expected}."
            yield from (f"        {line}" for line in (result.why, *result.proof) if line)
    yield from _routes(coverage)
    if wanted is not None and coverage.percent < wanted:
        yield f"Coverage is {coverage.percent:.1f} %, and {wanted:g} % are wanted."
    count = len(run.results)
    yield f"{count} assertion{'' if count == 1 else 's'}: {count - run.failures} passed, {run.failures} failed."


def _routes(coverage: engine.assertions.Coverage) -> Iterator[str]:
    yield f"{coverage.counted} routes: {coverage.exercised} exercised, {coverage.percent:.1f} %."
    lines = [
        f"{each.instance}/{each.database} {each.route}: never exercised"
        for each in coverage.never_exercised
        if not each.is_default
    ]
    lines += [
        f"{each.instance}/{each.database} {each.route}: can never win: {engine.assertions.never_text(each.never)}"
        for each in coverage.never_win
        if each.never is not None
    ]
    yield from (f"        {line}" for line in lines[:LISTED_MAX])
    if len(lines) > LISTED_MAX:
        yield f"        and {len(lines) - LISTED_MAX} more"
    yield f"{coverage.flows} flows: {coverage.flows_asserted} with an assertion."
