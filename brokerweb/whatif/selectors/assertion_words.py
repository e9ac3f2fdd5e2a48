"""Results that are kept in English, worded for whoever reads another language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from brokerweb.common.languages import asked_language
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.whatif.models import AssertionRun
from brokerweb.whatif.stored import Result
from engine import api as engine

IN_STORE = "en"
"""The language of what is kept."""


def in_asked_language(
    results: Iterable[Result],
    catalogs: dict[str, engine.InstanceCatalog],
    at: engine.UtcTime,
    faults: tuple[engine.what_if.Fault, ...] = (),
) -> tuple[Result, ...]:
    """Results as they were found in a state, with why and how of failures told again; what passed says nothing."""
    found = tuple(results)
    failed = [] if asked_language() == IN_STORE else [each.assertion for each in found if not each.passed]
    if not failed:
        return found
    again = engine.assertions.run(failed, catalogs, at=at, faults=faults, language=asked_language())
    worded = {(each.assertion, each.failed): each for each in again.results}
    return tuple(worded.get((each.assertion, each.failed), each) for each in found)


def kept_in_asked_language(estate: Estate, kept: dict[int, tuple[Result, AssertionRun]]) -> dict[int, Result]:
    """Results of runs, by assertion; those of a revision that is past stay in English."""
    told = {assertion: result for assertion, (result, _run) in kept.items()}
    if asked_language() == IN_STORE:
        return told
    by_run = defaultdict(list)
    for assertion, (result, run) in kept.items():
        is_current = (run.revision, run.settled_count) == (estate.revision, estate.settled_count)
        if is_current and not result.passed:
            by_run[run.at].append((assertion, result))
    for at, pairs in by_run.items():
        results = in_asked_language(
            [result for _assertion, result in pairs], live_catalogs(estate), engine.UtcTime(at.timestamp())
        )
        told.update({assertion: result for (assertion, _), result in zip(pairs, results, strict=True)})
    return told
