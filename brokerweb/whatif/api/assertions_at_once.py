"""Many assertions at once, over HTTP: switched and tagged together, made for flows, written and read as a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Router

from brokerweb.accounts.api import editing, viewing
from brokerweb.whatif.api.assertion_requests import BulkIn, FileIn, FromFlowsIn
from brokerweb.whatif.api.assertion_schemas import BulkOut, FileTakenOut, FromFlowsOut
from brokerweb.whatif.api.assertions import ASSERTIONS
from brokerweb.whatif.services.assertion_bulk import assertions_bulk, flows_assert
from brokerweb.whatif.services.assertion_files import FILE, assertions_file, assertions_take

router = Router(tags=["assertions"])


@router.post(ASSERTIONS + "/bulk", response={200: BulkOut}, operation_id="assertions_bulk", auth=editing)
def assertions_bulk_(request: HttpRequest, estate: str, body: BulkIn) -> BulkOut:
    """Switch, tag or delete several assertions; those that are gone are counted."""
    done = assertions_bulk(estate, body.ids, body.action, tag=body.tag, user=request.auth)
    return BulkOut.from_orm(done)


@router.post(
    ASSERTIONS + "/from-flows",
    response={200: FromFlowsOut},
    operation_id="assertions_from_flows",
    auth=editing,
)
def assertions_from_flows(request: HttpRequest, estate: str, body: FromFlowsIn) -> FromFlowsOut:
    """For each flow that has no assertion, one that what comes of it now goes on coming of it."""
    tags = [] if body.tag is None else [body.tag]
    return FromFlowsOut.from_orm(
        flows_assert(estate, body.which, with_path=body.with_path, tags=tags, user=request.auth)
    )


ASSERTIONS_SCHEMA = {"type": "array", "items": {"type": "object"}}
"""Of the file, as whoever reads YAML finds it."""


@router.get(
    ASSERTIONS + "/file",
    response={200: None},
    operation_id="assertions_file_read",
    auth=viewing,
    openapi_extra={"responses": {200: {"content": {"application/yaml": {"schema": ASSERTIONS_SCHEMA}}}}},
)
def assertions_file_read(request: HttpRequest, estate: str) -> HttpResponse:
    """Every assertion as a file for `manage.py assertions run --file`; tags and switches do not stand in it."""
    return HttpResponse(
        assertions_file(estate),
        content_type="application/yaml; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{FILE}"'},
    )


@router.post(
    ASSERTIONS + "/file",
    response={200: FileTakenOut},
    operation_id="assertions_file_take",
    auth=editing,
)
def assertions_file_take(request: HttpRequest, estate: str, body: FileIn) -> FileTakenOut:
    """Take over a file, by name; 422 with every mistake by line and column, and then nothing is taken."""
    return FileTakenOut.from_orm(assertions_take(estate, body.text, replaces=body.replace, user=request.auth))
