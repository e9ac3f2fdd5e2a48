"""Who changed what: revisions, and the log of every decision."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from ninja import Query, Router

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.topology.api.change_set_schemas import AuditPage, AuditQuery, PageAsked, RevisionPage
from brokerweb.topology.selectors.audit import AuditAsked, audit_csv, audit_json, audit_page, revision_page

router = Router(tags=["history"])


@router.get(
    ESTATE + "/revisions", response={200: RevisionPage, **PROBLEMS}, operation_id="revisions_list", auth=viewing
)
def revisions_list(
    request: HttpRequest,
    estate: str,
    asked: PageAsked = Query(...),  # noqa: B008
) -> RevisionPage:
    """The revisions of an estate, newest first."""
    refuse_unknown(request, asked)
    return RevisionPage(**revision_page(estate, before=asked.before, limit=asked.limit))


@router.get(ESTATE + "/audit", response={200: AuditPage, **PROBLEMS}, operation_id="audit_list", auth=editing)
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
        return _file(StreamingHttpResponse(audit_json(estate, wanted), content_type="application/json"), "json")
    return AuditPage(**audit_page(estate, wanted, before=asked.before, limit=asked.limit))


def _file(response: StreamingHttpResponse, kind: str) -> StreamingHttpResponse:
    response["Content-Disposition"] = f'attachment; filename="audit.{kind}"'
    return response
