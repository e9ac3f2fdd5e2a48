"""Celery tasks of the jobs: one line each."""

from __future__ import annotations

from uuid import UUID

from brokerweb.common.database import borrowed_connections
from brokerweb.jobs.services import RUN_TASK, job_run, jobs_tidy
from engine import api as engine

TIDY_TASK = "brokerweb.jobs.tidy"


@engine.celery_app.task(name=RUN_TASK, ignore_result=True)
def run(job_id: str) -> None:
    """Run a job to its end."""
    with borrowed_connections():
        job_run(UUID(job_id))


@engine.celery_app.task(name=TIDY_TASK, ignore_result=True)
def tidy() -> None:
    """Announce again what nobody heard of, and give up what has lost its worker."""
    with borrowed_connections():
        jobs_tidy()
