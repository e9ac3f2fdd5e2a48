"""Answers that an estate counts on, over HTTP: kept, changed and run (docs/operations/what-if.md)."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router, Status

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.whatif.api.assertion_pictures import (
    assertion_picture,
    counts_picture,
    coverage_picture,
    page_picture,
    run_picture,
    summary_picture,
)
from brokerweb.whatif.api.assertion_requests import (
    AssertionIn,
    AssertionPatch,
    AssertionsQuery,
    AssertionsRunIn,
    CoverageQuery,
    VersionQuery,
)
from brokerweb.whatif.api.assertion_schemas import (
    AssertionOut,
    AssertionPageOut,
    AssertionRunOut,
    AssertionsSummaryOut,
    CoverageOut,
)
from brokerweb.whatif.models import Assertion, Trigger
from brokerweb.whatif.selectors.assertion_runs import coverage_of
from brokerweb.whatif.selectors.assertions import AssertionsAsked, assertion_page, assertion_rows, assertions_summary
from brokerweb.whatif.services.assertion_runs import assertions_run
from brokerweb.whatif.services.assertions import assertion_change, assertion_create, assertion_delete

router = Router(tags=["assertions"])

ASSERTIONS = ESTATE + "/assertions"
ASSERTION = ASSERTIONS + "/{int:assertion}"


@router.get(ASSERTIONS, response={200: AssertionPageOut}, operation_id="assertions_list", auth=viewing)
def assertions_list(
    request: HttpRequest,
    estate: str,
    asked: AssertionsQuery = Query(...),  # noqa: B008
) -> AssertionPageOut:
    """The assertions of an estate, 50 a page, and how each of them fared lately."""
    refuse_unknown(request, asked)
    return page_picture(assertion_page(estate, AssertionsAsked(**asked.dict())))


@router.post(ASSERTIONS, response={201: AssertionOut}, operation_id="assertion_create", auth=editing)
def assertion_create_(request: HttpRequest, estate: str, body: AssertionIn) -> Status:
    """Assert an answer: the one that is given, or the one that comes now, or of a change set or a revision."""
    return Status(201, _picture(assertion_create(estate, body.asked(), user=request.auth)))


@router.patch(ASSERTION, response={200: AssertionOut}, operation_id="assertion_change", auth=editing)
def assertion_change_(request: HttpRequest, estate: str, assertion: int, body: AssertionPatch) -> AssertionOut:
    """Change an assertion; 409 with both sides when somebody else has changed it since it was looked at."""
    return _picture(assertion_change(estate, assertion, body.asked(), version=body.version, user=request.auth))


@router.delete(ASSERTION, response={204: None}, operation_id="assertion_delete", auth=editing)
def assertion_delete_(
    request: HttpRequest,
    estate: str,
    assertion: int,
    asked: VersionQuery = Query(...),  # noqa: B008
) -> Status:
    """Delete an assertion and its history; 409 when somebody else has changed it since it was looked at."""
    refuse_unknown(request, asked)
    assertion_delete(estate, assertion, version=asked.version, user=request.auth)
    return Status(204, None)


@router.post(ASSERTIONS + "/run", response={200: AssertionRunOut}, operation_id="assertions_run", auth=viewing)
def assertions_run_(request: HttpRequest, estate: str, body: AssertionsRunIn) -> AssertionRunOut:
    """Put the enabled assertions to a state of the estate; a run of what is live as it is now is kept."""
    return run_picture(assertions_run(estate, body.asked(), trigger=Trigger.PERSON, user=request.auth, ids=body.ids))


@router.get(
    ASSERTIONS + "/summary",
    response={200: AssertionsSummaryOut},
    operation_id="assertions_summary",
    auth=viewing,
)
def assertions_summary_(request: HttpRequest, estate: str) -> AssertionsSummaryOut:
    """How many assertions passed and failed when they were last run, and how many were never run."""
    counts, last_run = assertions_summary(estate)
    return AssertionsSummaryOut(
        counts=counts_picture(counts), last_run=None if last_run is None else summary_picture(last_run)
    )


@router.get(ASSERTIONS + "/coverage", response={200: CoverageOut}, operation_id="assertions_coverage", auth=viewing)
def assertions_coverage(
    request: HttpRequest,
    estate: str,
    asked: CoverageQuery = Query(...),  # noqa: B008
) -> CoverageOut:
    """Which routes the enabled assertions exercise, which can never win, and which flows nobody asserts anything of."""
    refuse_unknown(request, asked)
    return coverage_picture(coverage_of(estate, asked.change_set))


def _picture(row: Assertion) -> AssertionOut:
    (found,) = assertion_rows([row.pk])
    return assertion_picture(found)
