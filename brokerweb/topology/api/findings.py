"""The findings of an estate over HTTP, and putting them aside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Status
from pydantic import AwareDatetime

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.etag import set_revision
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request
from brokerweb.common.languages import asked_language
from brokerweb.common.paging import shown_page
from brokerweb.topology.api.change_set_schemas import DraftTag
from brokerweb.topology.api.finding_schemas import (
    CheckOut,
    FindingCountOut,
    FindingsOut,
    SeverityName,
    SuppressionOut,
    UncheckedOut,
    finding_picture,
    subject_picture,
)
from brokerweb.topology.models import ChangeSet
from brokerweb.topology.selectors.findings import (
    EstateFindings,
    SeenFinding,
    counts_by_object,
    draft_findings,
    estate_of,
)
from brokerweb.topology.selectors.fixes import open_draft
from brokerweb.topology.services.findings import finding_suppress, finding_unsuppress, findings_look
from engine import api as engine

router = Router(tags=["findings"])


class FindingsAsked(Request):
    """Which findings are asked for; what is not given does not matter."""

    level: SeverityName = "info"
    """The least severity."""
    code: str | None = None
    instance: str | None = None
    """About this instance, or concerning it."""
    database: str | None = None
    change_set: int | None = Field(default=None, ge=1, le=2**31 - 1)
    """In the estate as this open change set would have it; without it, in what is live."""
    suppressed: Literal["without", "only", "all"] = "without"
    page: int = Field(default=1, ge=1, le=1_000_000)
    rows: int = Field(default=100, ge=1, le=1000)
    """Findings of a page."""
    by_object: bool = False
    """Whether all open findings are also counted by object."""


class SuppressionIn(Request):
    key: str = Field(max_length=32)
    reason: str = Field(min_length=1, max_length=400)
    expires_at: AwareDatetime | None = None
    """At most a hundred years ahead; null is until it is taken back."""


@router.get(ESTATE + "/findings", response={200: FindingsOut}, operation_id="findings_read", auth=viewing)
def findings_read(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    asked: FindingsAsked = Query(...),  # noqa: B008
) -> FindingsOut:
    """What is wrong with the wanted state of an estate (docs/operations/diagnosis.md)."""
    refuse_unknown(request, asked)
    draft = None if asked.change_set is None else open_draft(estate_of(estate), asked.change_set)
    everything = findings_look(estate) if draft is None else draft_findings(draft, timezone.now())
    chosen = [each for each in everything.findings if _is_asked(each, asked)]
    if draft is None:
        set_revision(response, everything.revision)
    else:
        set_revision(response, draft.sequence, draft.number)
    return _picture(everything, draft, chosen, asked)


@router.post(
    ESTATE + "/findings/suppressions",
    response={201: SuppressionOut},
    operation_id="finding_suppress",
    auth=editing,
)
def finding_suppress_(request: HttpRequest, estate: str, body: SuppressionIn) -> Status:
    """Put a finding aside: with a reason, and until when."""
    made = finding_suppress(estate, body.key, reason=body.reason, expires_at=body.expires_at, user=request.auth)
    return Status(201, made)


@router.delete(
    ESTATE + "/findings/suppressions/{int:suppression}",
    response={204: None},
    operation_id="finding_unsuppress",
    auth=editing,
)
def finding_unsuppress_(request: HttpRequest, estate: str, suppression: int) -> Status:
    """Take a suppression back."""
    finding_unsuppress(estate, suppression, user=request.auth)
    return Status(204, None)


def _is_asked(seen: SeenFinding, asked: FindingsAsked) -> bool:
    finding, rank = seen.finding, engine.diagnosis.RANK
    subjects = (finding.subject, *finding.further)
    return (
        rank[finding.severity] <= rank[engine.diagnosis.Severity(asked.level)]
        and asked.code in (None, finding.code)
        and (asked.suppressed == "all" or (seen.suppressed is not None) is (asked.suppressed == "only"))
        and (asked.instance is None or any(each.instance == asked.instance for each in subjects))
        and (asked.database is None or any(each.database == asked.database for each in subjects))
    )


def _picture(
    everything: EstateFindings,
    draft: ChangeSet | None,
    chosen: Sequence[SeenFinding],
    asked: FindingsAsked,
) -> FindingsOut:
    page, pages, part = shown_page(asked.page, len(chosen), asked.rows)
    open_findings = [each.finding.severity for each in everything.findings if each.suppressed is None]
    severity = engine.diagnosis.Severity
    language = asked_language()
    words = engine.diagnosis.entries(language)
    return FindingsOut(
        revision=everything.revision,
        change_set=None if draft is None else DraftTag(number=draft.number, sequence=draft.sequence),
        errors=open_findings.count(severity.ERROR),
        warnings=open_findings.count(severity.WARNING),
        infos=open_findings.count(severity.INFO),
        suppressed=len(everything.findings) - len(open_findings),
        total=len(chosen),
        page=page,
        pages=pages,
        findings=[finding_picture(each) for each in chosen[part]],
        by_object=[
            FindingCountOut(subject=subject_picture(each.subject), severity=each.severity.value, count=each.count)
            for each in counts_by_object(everything.findings)
        ]
        if asked.by_object
        else None,
        checked=[CheckOut(code=code, title=words[code].title) for code in everything.diagnosis.checked],
        unchecked=[UncheckedOut.from_orm(each) for each in engine.diagnosis.unchecked(language)],
    )
