"""The findings of an estate over HTTP, and putting them aside."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Status

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.common.api.etag import set_revision
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.selectors.findings import EstateFindings, SeenFinding
from brokerweb.topology.services.findings import finding_suppress, finding_unsuppress, findings_look
from engine import api as engine

router = Router(tags=["findings"])
SeverityName = Literal["error", "warning", "info"]


class FindingsAsked(Request):
    """Which findings are asked for; what is not given does not matter."""

    level: SeverityName = "info"
    """The least severity."""
    code: str | None = None
    instance: str | None = None
    """About this instance, or concerning it."""
    database: str | None = None
    suppressed: Literal["without", "only", "all"] = "without"
    page: int = Field(default=1, ge=1, le=1_000_000)
    rows: int = Field(default=100, ge=1, le=1000)
    """Findings of a page."""


class SubjectOut(Shape):
    """An object that a finding is about."""

    instance: str
    database: str | None
    kind: str
    """instance, endpoint, database, route, service, contract, message type, queue, event notification, broker priority,
    remote service binding or certificate."""
    name: str


class SuppressionOut(Shape):
    id: int
    reason: str
    author: str | None
    created_at: datetime
    expires_at: datetime | None
    """Null is until it is taken back."""


class FixOut(Shape):
    """What the proposed fix does in one instance."""

    instance: str
    steps: list[str]
    """In order, a sentence each."""


class FindingOut(Shape):
    key: str
    """Names the finding across revisions."""
    code: str
    number: int | None
    """The vendor's number, where one is known."""
    severity: SeverityName
    title: str
    subject: SubjectOut
    further: list[SubjectOut]
    text: str
    why: str
    cure: str
    fix: list[FixOut]
    """Empty where a person has to decide."""
    first_revision: int | None
    first_seen_at: datetime | None
    suppression: SuppressionOut | None


class CheckOut(Shape):
    code: str
    title: str


class UncheckedOut(CheckOut):
    reason: str


class FindingsOut(Shape):
    """A page of findings, the gravest first. Counts are those of the whole estate, without what is suppressed."""

    revision: int
    errors: int
    warnings: int
    infos: int
    suppressed: int
    total: int
    """Findings that were asked for."""
    page: int
    pages: int
    findings: list[FindingOut]
    checked: list[CheckOut]
    """The checks that ran."""
    unchecked: list[UncheckedOut]
    """Checks that definitions alone cannot decide."""


class SuppressionIn(Request):
    key: str = Field(max_length=32)
    reason: str = Field(min_length=1, max_length=400)
    expires_at: datetime | None = None


@router.get(ESTATE + "/findings", response={200: FindingsOut, **PROBLEMS}, operation_id="findings_read", auth=viewing)
def findings_read(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    asked: FindingsAsked = Query(...),  # noqa: B008
) -> FindingsOut:
    """What is wrong with the wanted state of an estate (docs/operations/diagnosis.md)."""
    refuse_unknown(request, asked)
    everything = findings_look(estate)
    chosen = [each for each in everything.findings if _is_asked(each, asked)]
    begin = (asked.page - 1) * asked.rows
    set_revision(response, everything.revision)
    return _picture(everything, chosen, asked, chosen[begin : begin + asked.rows])


@router.post(
    ESTATE + "/findings/suppressions",
    response={201: SuppressionOut, **PROBLEMS},
    operation_id="finding_suppress",
    auth=editing,
)
def finding_suppress_(request: HttpRequest, estate: str, body: SuppressionIn) -> Status:
    """Put a finding aside: with a reason, and until when."""
    made = finding_suppress(estate, body.key, reason=body.reason, expires_at=body.expires_at, user=request.auth)
    return Status(201, made)


@router.delete(
    ESTATE + "/findings/suppressions/{int:suppression}",
    response={204: None, **PROBLEMS},
    operation_id="finding_unsuppress",
    auth=editing,
)
def finding_unsuppress_(request: HttpRequest, estate: str, suppression: int) -> Status:
    """Take a suppression back."""
    finding_unsuppress(estate, suppression)
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
    everything: EstateFindings, chosen: Sequence[SeenFinding], asked: FindingsAsked, page: Sequence[SeenFinding]
) -> FindingsOut:
    open_findings = [each.finding.severity for each in everything.findings if each.suppressed is None]
    severity = engine.diagnosis.Severity
    words = engine.diagnosis.entries()
    return FindingsOut(
        revision=everything.revision,
        errors=open_findings.count(severity.ERROR),
        warnings=open_findings.count(severity.WARNING),
        infos=open_findings.count(severity.INFO),
        suppressed=len(everything.findings) - len(open_findings),
        total=len(chosen),
        page=asked.page,
        pages=max(1, -(-len(chosen) // asked.rows)),
        findings=[_finding(each) for each in page],
        checked=[CheckOut(code=code, title=words[code].title) for code in everything.diagnosis.checked],
        unchecked=[UncheckedOut.from_orm(each) for each in everything.diagnosis.unchecked],
    )


def _finding(seen: SeenFinding) -> FindingOut:
    finding = seen.finding
    return FindingOut(
        key=finding.key,
        code=finding.code,
        number=finding.number,
        severity=finding.severity.value,
        title=finding.title,
        subject=_subject(finding.subject),
        further=[_subject(each) for each in finding.further],
        text=finding.text,
        why=finding.why,
        cure=finding.cure,
        fix=[
            FixOut(instance=part.instance, steps=[engine.diagnosis.said(change) for change in part.changes])
            for part in finding.fix
        ],
        first_revision=seen.first_revision,
        first_seen_at=seen.first_seen_at,
        suppression=None if seen.suppressed is None else SuppressionOut.from_orm(seen.suppressed),
    )


def _subject(subject: engine.diagnosis.Subject) -> SubjectOut:
    return SubjectOut(instance=subject.instance, database=subject.database, kind=subject.kind.value, name=subject.name)
