"""Jobs as they are shown."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.jobs.models import Job

JOBS_MAX = 200
"""How many jobs a list has, the newest first."""

_SHOWN = (
    "id", "kind", "title", "state", "created_at", "started_at", "ended_at", "heartbeat_at", "stage", "done", "total",
    "problem",
)  # fmt: skip


def job_list() -> list[dict[str, Any]]:
    """The newest jobs; without arguments and results, which may be large."""
    rows = Job.objects.select_related("owner").defer("arguments", "result")[:JOBS_MAX]
    return [_shown(row) for row in rows]


def job_read(job_id: UUID) -> dict[str, Any]:
    """One job; `ObjectNotFound` when there is none."""
    return _shown(job_of(job_id))


def job_result(job_id: UUID) -> str:
    """What a job came to, as JSON; `ObjectNotFound` when there is no such job, or it has no result."""
    found = Job.objects.filter(pk=job_id).values_list("result", flat=True).first()
    if not found:
        raise ObjectNotFound(
            _("Job {job_id} has no result.").format(job_id=job_id),
            why=_("It is not done, or it failed."),
            cure=_("Look at its state."),
        )
    return found


def job_of(job_id: UUID) -> Job:
    """The row; `ObjectNotFound` when there is none."""
    row = Job.objects.select_related("owner").defer("arguments", "result").filter(pk=job_id).first()
    if row is None:
        raise ObjectNotFound(
            _("There is no job {job_id}.").format(job_id=job_id), cure=_("Look for it in the list of jobs.")
        )
    return row


def _shown(row: Job) -> dict[str, Any]:
    owner = None if row.owner is None else row.owner.get_username()
    return {**{name: getattr(row, name) for name in _SHOWN}, "owner": owner}
