"""Who changed what: revisions, and the log of every decision."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from ninja import Query, Router

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.topology.api.change_set_schemas import (
    AuditChainOut,
    AuditPage,
    AuditQuery,
    ChainBreakOut,
    PageAsked,
    RevisionPage,
)
from brokerweb.topology.selectors.audit import AuditAsked, audit_csv, audit_json, audit_page, revision_page
from brokerweb.topology.selectors.audit_chain import chain_report
from brokerweb.topology.selectors.findings import estate_of

router = Router(tags=["history"])

LIST_TYPE = "application/vnd.brokerweb.audit+json"
"""Media type of the download in JSON: a list, where the same address answers a page as application/json."""
DOWNLOADS = {
    "text/csv": {"schema": {"type": "string"}},
    LIST_TYPE: {"schema": {"type": "array", "items": {"type": "object"}}},
}


@router.get(ESTATE + "/revisions", response={200: RevisionPage}, operation_id="revisions_list", auth=viewing)
def revisions_list(
    request: HttpRequest,
    estate: str,
    asked: PageAsked = Query(...),  # noqa: B008
) -> RevisionPage:
    """The revisions of an estate, newest first."""
    refuse_unknown(request, asked)
    return RevisionPage(**revision_page(estate, before=asked.before, limit=asked.limit))


@router.get(
    ESTATE + "/audit",
    response={200: AuditPage},
    operation_id="audit_list",
    auth=editing,
    openapi_extra={"responses": {200: {"content": DOWNLOADS}}},
)
def audit_list(
    request: HttpRequest,
    estate: str,
    asked: AuditQuery = Query(...),  # noqa: B008
) -> AuditPage | HttpResponseBase:
    """Every decision about an estate, live or in a change set, newest first; with `format` as a file.

    It tells addresses of people, so it takes the right to edit.
    """
    refuse_unknown(request, asked)
    wanted = AuditAsked(**asked.dict(exclude={"before", "limit", "format"}))
    if asked.format == "csv":
        return _file(StreamingHttpResponse(audit_csv(estate, wanted), content_type="text/csv; charset=utf-8"), "csv")
    if asked.format == "json":
        return _file(StreamingHttpResponse(audit_json(estate, wanted), content_type=LIST_TYPE), "json")
    return AuditPage(**audit_page(estate, wanted, before=asked.before, limit=asked.limit))


@router.get(ESTATE + "/audit/chain", response={200: AuditChainOut}, operation_id="audit_chain", auth=editing)
def audit_chain(request: HttpRequest, estate: str) -> AuditChainOut:
    """Whether the log is as it was written: every decision carries a hash of itself and of all before it."""
    report = chain_report(estate_of(estate))
    return AuditChainOut(
        is_whole=report.is_whole,
        decision_count=report.decision_count,
        last_sequence=report.last_sequence,
        head=report.head,
        breaks=[ChainBreakOut(sequence=each.sequence, reason=each.reason) for each in report.breaks],
    )


def _file(response: StreamingHttpResponse, kind: str) -> StreamingHttpResponse:
    response["Content-Disposition"] = f'attachment; filename="audit.{kind}"'
    return response
