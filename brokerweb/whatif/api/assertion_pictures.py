"""Assertions, runs and coverage as they travel."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

from brokerweb.common.languages import asked_language
from brokerweb.topology.api.flow_schemas import FlowQuestionOut
from brokerweb.topology.flows import question_from_json
from brokerweb.whatif.api.assertion_schemas import (
    AssertionCountsOut,
    AssertionOut,
    AssertionPageOut,
    AssertionResultOut,
    AssertionRunOut,
    AssertionRunSummary,
    CoverageOut,
    ExpectedOut,
    NeverWinsOut,
    OutcomeOut,
    PastVerdictOut,
    RoutePlaceOut,
)
from brokerweb.whatif.api.schemas import BasisOut, FaultOut, ToldNumber, basis_picture
from brokerweb.whatif.models import AssertionRun
from brokerweb.whatif.selectors.assertion_runs import Coverage
from brokerweb.whatif.selectors.assertions import AssertionPage, AssertionRow, State, state_of
from brokerweb.whatif.services.assertion_runs import RunDone
from brokerweb.whatif.stored import Result, expectation_of_row, faults_of_row
from engine import api as engine

ROUTES_LISTED_MAX: Final = 500
FLOWS_LISTED_MAX: Final = 100


def page_picture(page: AssertionPage) -> AssertionPageOut:
    """A page of assertions."""
    return AssertionPageOut(
        rows=[assertion_picture(each) for each in page.rows],
        counts=counts_picture(page.counts),
        tags=list(page.tags),
        last_run=None if page.last_run is None else summary_picture(page.last_run),
        page=page.page,
        pages=page.pages,
    )


def counts_picture(counts: Mapping[State, int]) -> AssertionCountsOut:
    """How many assertions there are."""
    return AssertionCountsOut(
        all=sum(counts.values()),
        passed=counts["passed"],
        failed=counts["failed"],
        never_run=counts["never-run"],
        disabled=counts["disabled"],
    )


def assertion_picture(each: AssertionRow) -> AssertionOut:
    """An assertion, and how it fared lately."""
    row, expected = each.row, expectation_of_row(each.row)
    return AssertionOut(
        id=row.pk,
        version=row.version,
        name=row.name,
        note=row.note,
        tags=row.tags,
        is_enabled=row.is_enabled,
        state=state_of(is_enabled=row.is_enabled, last_passed=row.last_passed),
        question=FlowQuestionOut.from_orm(question_from_json(row.question)),
        faults=[FaultOut.from_orm(fault) for fault in faults_of_row(row)],
        at=row.at,
        expected=ExpectedOut.from_orm(expected),
        expected_text=engine.assertions.expected_text(expected, asked_language()),
        created_by=row.created_by,
        created_at=row.created_at,
        changed_by=row.changed_by,
        changed_at=row.changed_at,
        last=None if each.last is None else result_picture(row.pk, each.last),
        history=[PastVerdictOut.from_orm(past) for past in each.history],
        is_flaky=each.is_flaky,
    )


def result_picture(assertion: int, kept: Result) -> AssertionResultOut:
    """How an assertion fared, in the asker's language."""
    result = engine.assertions.worded(kept, asked_language())
    outcome = result.outcome
    return AssertionResultOut(
        assertion_id=assertion,
        name=result.assertion.name,
        passed=result.passed,
        failed=list(result.failed),
        expected_text=result.expected,
        actual_text=result.actual,
        outcome=None if outcome is None else OutcomeOut.from_orm(outcome),
        disposition=outcome.ends[0].disposition if outcome is not None and outcome.ends else None,
        light=engine.what_if.Light.RED if outcome is None else outcome.light,
        number=None if result.number is None else ToldNumber.from_orm(result.number),
        why=result.why,
        proof=list(result.proof),
    )


def summary_picture(run: AssertionRun) -> AssertionRunSummary:
    """A run that is kept."""
    basis = BasisOut(
        revision=run.revision, change_set=None, sequence=None, at=run.at, is_now=True, engine_version=run.engine_version
    )
    return _summary(run, basis)


def run_picture(done: RunDone) -> AssertionRunOut:
    """A run that somebody has asked for."""
    results = [
        result_picture(row.pk, result)
        for row, result in zip(done.outcomes.rows, done.outcomes.run.results, strict=True)
    ]
    return AssertionRunOut(
        run=_summary(done.run, basis_picture(done.basis, done.run.engine_version)),
        results=sorted(results, key=lambda each: (each.passed, each.name.casefold())),
        coverage=coverage_picture(done.outcomes.coverage),
    )


def coverage_picture(found: Coverage) -> CoverageOut:
    """What assertions exercise."""
    never_exercised = [each for each in found.never_exercised if not each.is_default]
    never_win, language = found.never_win, asked_language()
    return CoverageOut(
        percent=found.percent,
        counted=found.counted,
        exercised=found.exercised,
        flows=found.flows,
        flows_asserted=found.flows_asserted,
        never_exercised=[RoutePlaceOut.from_orm(each) for each in islice(never_exercised, ROUTES_LISTED_MAX)],
        never_exercised_total=len(never_exercised),
        never_win=[
            NeverWinsOut(
                instance=each.instance,
                database=each.database,
                route=each.route,
                why=engine.assertions.never_text(each.never, language),
            )
            for each in islice(never_win, ROUTES_LISTED_MAX)
            if each.never is not None
        ],
        never_win_total=len(never_win),
        flows_without=[FlowQuestionOut.from_orm(each) for each in found.flows_without[:FLOWS_LISTED_MAX]],
        flows_without_total=found.flows - found.flows_asserted,
    )


def _summary(run: AssertionRun, basis: BasisOut) -> AssertionRunSummary:
    return AssertionRunSummary(
        id=run.pk,
        at=run.at,
        basis=basis,
        passed=run.passed,
        failed=run.failed,
        disabled=run.disabled,
        trigger=run.trigger,
        by=run.author_name,
    )
