"""Assertions put to one state of their estate, and what of it they exercise."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from brokerweb.common.languages import asked_language
from brokerweb.whatif.models import Assertion
from brokerweb.whatif.selectors.basis import Basis
from brokerweb.whatif.stored import Result, assertion_of_row
from engine import api as engine

Coverage = engine.assertions.Coverage
IN_STORE = "en"
"""Results are kept in this language, and worded anew for whoever reads another."""


class Outcomes(msgspec.Struct, frozen=True, kw_only=True):
    """Assertions that were run, each with its result."""

    rows: tuple[Assertion, ...]
    results: tuple[Result, ...]
    coverage: Coverage

    @property
    def failed(self) -> int:
        """How many failed."""
        return sum(not result.passed for result in self.results)


def outcomes_of(basis: Basis, rows: Sequence[Assertion], language: str) -> Outcomes:
    """Every one of the assertions, put to a basis."""
    asserted = [assertion_of_row(row) for row in rows]
    run = engine.assertions.run(asserted, basis.catalogs, at=basis.instant, faults=basis.faults, language=language)
    coverage = engine.assertions.coverage(asserted, run.used, basis.catalogs, at=basis.instant)
    return Outcomes(rows=tuple(rows), results=run.results, coverage=coverage)


def in_asked_language(results: Sequence[Result], basis: Basis) -> tuple[Result, ...]:
    """Results as whoever asks reads them: those that failed say why in words."""
    language = asked_language()
    failed = [] if language == IN_STORE else [result.assertion for result in results if not result.passed]
    if not failed:
        return tuple(results)
    again = engine.assertions.run(failed, basis.catalogs, at=basis.instant, faults=basis.faults, language=language)
    worded = {result.assertion.name: result for result in again.results}
    return tuple(worded.get(result.assertion.name, result) for result in results)
