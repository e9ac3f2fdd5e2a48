"""Assertions put to one state of their estate, and what of it they exercise."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from brokerweb.whatif.models import Assertion
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from brokerweb.whatif.stored import assertion_of_row
from engine import api as engine

Coverage = engine.assertions.Coverage


class Outcomes(msgspec.Struct, frozen=True, kw_only=True):
    """Assertions that were run, each with its result."""

    rows: tuple[Assertion, ...]
    run: engine.assertions.Run
    """Its results stand in the order of `rows`."""
    coverage: Coverage


def outcomes_of(basis: Basis, rows: Sequence[Assertion]) -> Outcomes:
    """Every one of the assertions, put to a basis; results are worded when somebody reads them."""
    asserted = [assertion_of_row(row) for row in rows]
    run = engine.assertions.run(asserted, basis.catalogs, at=basis.instant, faults=basis.faults)
    coverage = engine.assertions.coverage(asserted, run.used, basis.catalogs, at=basis.instant)
    return Outcomes(rows=tuple(rows), run=run, coverage=coverage)


def coverage_of(estate_name: str, change_set: int | None) -> Coverage:
    """What the enabled assertions exercise of an estate, or of it as a change set has it. Raises as `basis_of`."""
    basis = basis_of(estate_name, BasisAsked(change_set=change_set))
    enabled = Assertion.objects.filter(estate=basis.estate, is_enabled=True)
    return outcomes_of(basis, list(enabled)).coverage
