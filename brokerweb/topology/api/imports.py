"""Scripts and samples into an estate."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from brokerweb.accounts.api import editing, viewing
from brokerweb.jobs.api import JobOut
from brokerweb.jobs.selectors import job_read
from brokerweb.topology.api.import_schemas import ImportIn, ImportOut, SampleLoaded, SampleOut
from brokerweb.topology.selectors.samples import sample_list
from brokerweb.topology.services.import_jobs import ImportOrder, import_start, is_long
from brokerweb.topology.services.imports import (
    WEB_CHANGES_MAX,
    estate_import,
    import_report,
    sample_load,
    worded_report,
)

router = Router(tags=["imports"])


@router.post("/imports", response={200: ImportOut, 202: JobOut}, operation_id="import_scripts", auth=editing)
def import_scripts(request: HttpRequest, body: ImportIn) -> Status:
    """Read T-SQL scripts and collected servers and say what they do; without `dry_run`, and without problems, do it.

    It makes an estate that there is not; of one that there is nothing is live before the change set is applied that it
    goes into. A long import is answered with a job (202); its result is what a short one is answered with, and
    `counts` of the statements by effect, of which it tells no more than 2,000.
    """
    files = tuple(file.value() for file in body.files)
    order = ImportOrder(
        estate=body.estate,
        files=files,
        is_dry_run=body.dry_run,
        default_instance=body.default_instance,
        default_database=body.default_database,
        change_set=body.change_set,
    )
    if is_long(files):
        return Status(202, JobOut(**job_read(import_start(order, user=request.auth).pk)))
    result = estate_import(
        estate_name=order.estate,
        files=order.files,
        user=request.auth,
        is_dry_run=order.is_dry_run,
        default_instance=order.default_instance,
        default_database=order.default_database,
        change_set=order.change_set,
        changes_max=WEB_CHANGES_MAX,
    )
    return Status(200, ImportOut(**worded_report(import_report(result))))


@router.get("/samples", response={200: list[SampleOut]}, operation_id="samples_list", auth=viewing)
def samples_list(request: HttpRequest) -> list[SampleOut]:
    """The sample estates that come with the product."""
    return [SampleOut(**sample) for sample in sample_list()]


@router.post("/samples/{sample}/load", response={201: SampleLoaded}, operation_id="sample_load", auth=editing)
def sample_load_(request: HttpRequest, sample: str) -> Status:
    """Load a sample through the importer, the way a person's own scripts are: as an estate, or into a draft of it."""
    result = sample_load(sample, user=request.auth)
    return Status(
        201, SampleLoaded(estate=result.estate_name, revision=result.revision or 0, change_set=result.change_set)
    )
