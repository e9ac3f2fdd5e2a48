"""Jobs as they are shown."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import Count
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.languages import asked_language
from brokerweb.common.sayings import worded
from brokerweb.jobs.kinds import worded_result
from brokerweb.jobs.models import Job, JobState
from engine import api as engine

JOBS_MAX = 200
"""How many jobs a list has, the newest first."""

_SHOWN = (
    "id", "kind", "title", "state", "created_at", "started_at", "ended_at", "heartbeat_at", "stage", "done", "total",
    "problem",
)  # fmt: skip


def job_list() -> list[dict[str, Any]]:
    """The newest jobs; without arguments and results, which may be large."""
    rows = Job.objects.select_related("owner").defer("arguments", "result")[:JOBS_MAX]
    return [job_shown(row) for row in rows]


def jobs_by_state() -> dict[JobState, int]:
    """How many jobs are kept in each state; none is missing of those that have any."""
    counted = Job.objects.order_by().values_list("state").annotate(count=Count("id"))
    return {JobState(state): count for state, count in counted}


def job_read(job_id: UUID) -> dict[str, Any]:
    """One job; `ObjectNotFound` when there is none."""
    return job_shown(job_of(job_id))


def job_result(job_id: UUID) -> str:
    """What a job came to, as JSON; `ObjectNotFound` when there is no such job, or it has no result."""
    kind, found = Job.objects.filter(pk=job_id).values_list("kind", "result").first() or ("", "")
    if not found:
        raise ObjectNotFound(
            _("Job {job_id} has no result.").format(job_id=job_id),
            why=_("It is not done, or it failed."),
            cure=_("Look at its state."),
        )
    return worded_result(kind, found)


def job_of(job_id: UUID) -> Job:
    """The row; `ObjectNotFound` when there is none."""
    row = Job.objects.select_related("owner").defer("arguments", "result").filter(pk=job_id).first()
    if row is None:
        raise ObjectNotFound(
            _("There is no job {job_id}.").format(job_id=job_id), cure=_("Look for it in the list of jobs.")
        )
    return row


def job_shown(row: Job) -> dict[str, Any]:
    """A job as it is shown, without arguments and result; `row` has its owner."""
    owner = None if row.owner is None else row.owner.get_username()
    return {
        **{name: getattr(row, name) for name in _SHOWN},
        "title": worded(row.said, row.title),
        "problem": None if row.problem is None else _problem(row.problem),
        "owner": owner,
    }


def _problem(stored: dict[str, Any]) -> dict[str, Any]:
    """Why a job failed, in the asker's language; what has neither number nor a name of jobs is as it was said then."""
    match stored["code"]:
        case "job-failed" if "fault" in stored:
            words = {
                "detail": _("The job failed because of a fault in the program."),
                "why": _("{fault}; the log of the worker has the whole story.").format(fault=stored["fault"]),
                "cure": _("Nothing was done. Try again, and report it if it happens again."),
            }
        case "job-lost":
            words = {
                "detail": _("The worker that ran this job is gone."),
                "why": _(
                    "It was stopped, or it died; what a job does, it does at its end, in one piece or not at all."
                ),
                "cure": _("Look whether the outcome is there, and start the job again if it is not."),
            }
        case code if str(code).isdigit() and "parameters" in stored:
            said = engine.translations.translated(asked_language(), int(code), stored["parameters"])
            words = {} if said is None else {"detail": said.text, "why": said.why, "cure": said.cure}
        case _:
            words = {}
    return {**stored, **words}
