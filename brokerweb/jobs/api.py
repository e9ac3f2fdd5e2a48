"""Jobs: looked at, waited for, cancelled."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.shape import Shape
from brokerweb.jobs.selectors import job_list, job_read, job_result
from brokerweb.jobs.services import job_cancel

router = Router(tags=["jobs"])


class JobOut(Shape):
    """A piece of work that takes longer than a request."""

    id: UUID
    kind: str
    title: str
    state: Literal["queued", "running", "cancelling", "cancelled", "failed", "done"]
    owner: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    heartbeat_at: datetime | None
    """When its worker was last heard of."""
    stage: str
    """What it is doing, in a word of its kind."""
    done: int
    total: int
    """Of the stage; 0 when nobody knows."""
    problem: dict[str, Any] | None
    """Why it failed: `code`, `detail`, `why`, `cure`, and what else the problem has."""


@router.get("/jobs", response={200: list[JobOut]}, operation_id="jobs_list", auth=viewing)
def jobs_list(request: HttpRequest) -> list[JobOut]:
    """The newest 200 jobs, newest first."""
    return [JobOut(**job) for job in job_list()]


@router.get("/jobs/{guid:job}", response={200: JobOut}, operation_id="job_read", auth=viewing)
def job_read_(request: HttpRequest, job: UUID) -> JobOut:
    """One job, as far as it is."""
    return JobOut(**job_read(job))


@router.get("/jobs/{guid:job}/result", response={200: None}, operation_id="job_result", auth=viewing)
def job_result_(request: HttpRequest, job: UUID) -> HttpResponse:
    """What a job that is done came to; its form is that of its kind."""
    return HttpResponse(job_result(job), content_type="application/json")


@router.post("/jobs/{guid:job}/cancel", response={200: JobOut}, operation_id="job_cancel", auth=viewing)
def job_cancel_(request: HttpRequest, job: UUID) -> JobOut:
    """End a job: at once while it is queued, where it can while it runs. One that is over stays as it is."""
    job_cancel(job, user=request.auth)
    return JobOut(**job_read(job))
