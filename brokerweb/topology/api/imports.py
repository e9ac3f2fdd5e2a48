"""Scripts and samples into an estate."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Status

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.topology.api.schemas import ImportIn, ImportOut, SampleLoaded, SampleOut
from brokerweb.topology.selectors.samples import sample_list
from brokerweb.topology.services.imports import estate_import, import_report, sample_load

router = Router(tags=["imports"])


@router.post("/imports", response={200: ImportOut, **PROBLEMS}, operation_id="import_scripts", auth=editing)
def import_scripts(request: HttpRequest, body: ImportIn) -> ImportOut:
    """Read T-SQL scripts and say what they do; without `dry_run`, and without any problem in them, do it.

    With `change_set` in the body nothing is live before that is applied.
    """
    result = estate_import(
        estate_name=body.estate,
        scripts=[(file.name, file.text) for file in body.files],
        user=request.auth,
        is_dry_run=body.dry_run,
        default_instance=body.default_instance,
        default_database=body.default_database,
        change_set=body.change_set,
    )
    return ImportOut(**import_report(result))


@router.get("/samples", response={200: list[SampleOut], **PROBLEMS}, operation_id="samples_list", auth=viewing)
def samples_list(request: HttpRequest) -> list[SampleOut]:
    """The sample estates that come with the product."""
    return [SampleOut(**sample) for sample in sample_list()]


@router.post(
    "/samples/{sample}/load", response={201: SampleLoaded, **PROBLEMS}, operation_id="sample_load", auth=editing
)
def sample_load_(request: HttpRequest, sample: str) -> Status:
    """Load a sample through the importer, the way a person's own scripts are."""
    estate = sample_load(sample, user=request.auth)
    return Status(201, SampleLoaded(estate=estate.name, revision=estate.revision))
