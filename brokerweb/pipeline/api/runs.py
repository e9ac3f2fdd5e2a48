"""Runs: asked for, watched, cancelled, repeated, deleted."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Status

from brokerweb.accounts.api import operating, viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.pipeline.api.schemas import EstimateAsked, EstimateOut, PipelineRunIn, PipelineRunOut, RunsAsked
from brokerweb.pipeline.questions import RunQuestion
from brokerweb.pipeline.selectors.runs import run_estimate, run_list, run_read
from brokerweb.pipeline.services.runs import run_again, run_cancel, run_delete, run_start

router = Router(tags=["analytics"])

RUNS = ESTATE + "/runs"
RUN = RUNS + "/{guid:run}"


@router.get(RUNS, response={200: list[PipelineRunOut]}, operation_id="runs_list", auth=viewing)
def runs_list(
    request: HttpRequest,
    estate: str,
    asked: RunsAsked = Query(...),  # noqa: B008
) -> list[PipelineRunOut]:
    """The newest 200 runs of an estate, or those that follow one, newest first."""
    refuse_unknown(request, asked)
    return [PipelineRunOut(**run) for run in run_list(estate, asked.before)]


@router.post(RUNS, response={201: PipelineRunOut}, operation_id="run_start", auth=operating)
def run_start_(request: HttpRequest, estate: str, body: PipelineRunIn) -> Status:
    """Ask for a run over the lake; runs are done one at a time. 422 (39021) where the extra `spark` is missing."""
    return Status(201, _told(estate, run_start(estate, _question(body), user=request.auth)))


@router.get(RUNS + "/estimate", response={200: EstimateOut}, operation_id="run_estimate", auth=viewing)
def run_estimate_(
    request: HttpRequest,
    estate: str,
    asked: EstimateAsked = Query(...),  # noqa: B008
) -> EstimateOut:
    """How much a run would read, and how long runs of that job took here."""
    refuse_unknown(request, asked)
    return EstimateOut(**run_estimate(estate, asked.job, asked.since, asked.until))


@router.get(RUN, response={200: PipelineRunOut}, operation_id="run_read", auth=viewing)
def run_read_(request: HttpRequest, estate: str, run: UUID) -> PipelineRunOut:
    """One run, as far as it is."""
    return _told(estate, run)


@router.post(RUN + "/again", response={201: PipelineRunOut}, operation_id="run_again", auth=operating)
def run_again_(request: HttpRequest, estate: str, run: UUID) -> Status:
    """Ask the same again, as a new run."""
    return Status(201, _told(estate, run_again(estate, run, user=request.auth)))


@router.post(RUN + "/cancel", response={200: PipelineRunOut}, operation_id="run_cancel", auth=operating)
def run_cancel_(request: HttpRequest, estate: str, run: UUID) -> PipelineRunOut:
    """End a run: at once while it is queued, within moments while it runs. Nothing of it is kept."""
    run_cancel(estate, run, user=request.auth)
    return _told(estate, run)


@router.delete(RUN, response={204: None}, operation_id="run_delete", auth=operating)
def run_delete_(request: HttpRequest, estate: str, run: UUID) -> Status:
    """Remove a run with its files. 409 while it has not ended."""
    run_delete(estate, run, user=request.auth)
    return Status(204, None)


def _told(estate: str, run: UUID) -> PipelineRunOut:
    return PipelineRunOut(**run_read(estate, run))


def _question(asked: PipelineRunIn) -> RunQuestion:
    return RunQuestion(
        job=asked.job,
        since=asked.since,
        until=asked.until,
        revisions=tuple(asked.revisions or ()),
        change_set=asked.change_set,
        examples=asked.examples,
    )
