"""The lake of an estate: looked at, and filled."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import File, Form, Router, Status, UploadedFile

from brokerweb.accounts.api import operating, viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.jobs.api import JobOut
from brokerweb.jobs.selectors import job_read
from brokerweb.pipeline.api.schemas import LakeOut, TraceIn
from brokerweb.pipeline.selectors.lake import lake_read
from brokerweb.pipeline.services.export_jobs import lake_export
from brokerweb.pipeline.services.trace_imports import lake_import_trace, lake_take_out_trace

router = Router(tags=["analytics"])

LAKE = ESTATE + "/lake"


@router.get(LAKE, response={200: LakeOut}, operation_id="lake_read", auth=viewing)
def lake_read_(request: HttpRequest, estate: str) -> LakeOut:
    """What the lake has of an estate, and how far each of its instances is exported."""
    return LakeOut(**lake_read(estate))


@router.post(LAKE + "/export", response={202: JobOut}, operation_id="lake_export", auth=operating)
def lake_export_(request: HttpRequest, estate: str) -> Status:
    """Export what instances have told since the last time. Its job is answered; one that waits already is that one."""
    return Status(202, JobOut(**job_read(lake_export(estate, user=request.auth).pk)))


@router.post(LAKE + "/traces", response={202: JobOut}, operation_id="lake_import_trace", auth=operating)
def lake_import_trace_(
    request: HttpRequest,
    estate: str,
    asked: TraceIn = Form(...),  # noqa: B008
    file: UploadedFile = File(...),  # noqa: B008
) -> Status:
    """Take a trace of a real server over, CSV as Profiler or Extended Events export it. Its job is answered.

    The result of the job is `rows`, which are `written`, `rejected`, or `known` from before; `reasons` of the rejected
    ones, each with `reason`, `column` and `rows`, the most frequent first; `other_reasons`, how many more there are.
    """
    given = asked.dict()
    return Status(202, JobOut(**job_read(lake_import_trace(estate, file=file, **given, user=request.auth).pk)))


@router.post(LAKE + "/traces/removal", response={202: JobOut}, operation_id="lake_take_out_trace", auth=operating)
def lake_take_out_trace_(
    request: HttpRequest,
    estate: str,
    asked: TraceIn = Form(...),  # noqa: B008
    file: UploadedFile = File(...),  # noqa: B008
) -> Status:
    """Take what an import of the file has brought out of the lake: same file, instance and time zone. Its job is
    answered.

    The result of the job is `rows`, those of the file that are understood; `taken`, rows of the lake that are gone, and
    `missing`, those that were not there; `rejected`, rows that the import had not understood and that are gone too.
    """
    given = asked.dict()
    return Status(202, JobOut(**job_read(lake_take_out_trace(estate, file=file, **given, user=request.auth).pk)))
