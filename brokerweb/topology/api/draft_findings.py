"""What a change set does to the findings, over HTTP."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.etag import set_revision
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request, Shape
from brokerweb.common.paging import shown_page
from brokerweb.topology.api.change_sets import CHANGE_SET
from brokerweb.topology.api.finding_schemas import FindingLine, finding_line
from brokerweb.topology.selectors.draft_findings import change_set_findings
from engine import api as engine

router = Router(tags=["change sets"])


class DraftFindingsQuery(Request):
    """Which findings are told; counts are always those of all."""

    fate: Literal["new", "gone", "still"] = "new"
    page: int = Field(default=1, ge=1, le=1_000_000)
    rows: int = Field(default=100, ge=1, le=1000)
    """Findings of a page."""


class FindingCounts(Shape):
    errors: int
    warnings: int
    infos: int


class DraftFindingsOut(Shape):
    """Findings by what the change set does to them, without those that somebody has put aside."""

    number: int
    sequence: int
    new: FindingCounts
    """There with the change set and not without it."""
    gone: FindingCounts
    """There without it and not with it."""
    still: FindingCounts
    suppressed: int
    page: int
    pages: int
    findings: list[FindingLine]
    """Those that were asked for, the gravest first."""


@router.get(
    CHANGE_SET + "/findings",
    response={200: DraftFindingsOut},
    operation_id="change_set_findings",
    auth=viewing,
)
def change_set_findings_(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    number: int,
    asked: DraftFindingsQuery = Query(...),  # noqa: B008
) -> DraftFindingsOut:
    """Which findings a change set brings, mends and leaves, compared with what is live, or was when it was applied."""
    refuse_unknown(request, asked)
    found = change_set_findings(estate, number)
    chosen = {"new": found.new, "gone": found.gone, "still": found.still}[asked.fate]
    page, pages, part = shown_page(asked.page, len(chosen), asked.rows)
    set_revision(response, found.change_set.sequence, number)
    return DraftFindingsOut(
        number=number,
        sequence=found.change_set.sequence,
        new=_counts(found.new),
        gone=_counts(found.gone),
        still=_counts(found.still),
        suppressed=found.suppressed,
        page=page,
        pages=pages,
        findings=[finding_line(each) for each in chosen[part]],
    )


def _counts(findings: tuple[engine.diagnosis.Finding, ...]) -> FindingCounts:
    severities = [each.severity for each in findings]
    severity = engine.diagnosis.Severity
    return FindingCounts(
        errors=severities.count(severity.ERROR),
        warnings=severities.count(severity.WARNING),
        infos=severities.count(severity.INFO),
    )
