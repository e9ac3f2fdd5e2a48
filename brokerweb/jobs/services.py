"""Jobs: asked for, run by a worker, cancelled, and found when their worker is gone.

A job is a row first and a task second: the task says only which row, and a task that comes twice, or not at all, does
no harm. Whoever claims a queued row runs it; nobody else can.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from time import monotonic
from uuid import UUID

from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from brokerweb.accounts.models import User
from brokerweb.accounts.required_rights import require
from brokerweb.accounts.rights import Right
from brokerweb.common.database import database_busy
from brokerweb.common.errors import EngineRefused, RightMissing, WebProblem
from brokerweb.common.full_disk import full_disk
from brokerweb.common.job_errors import TooManyJobs
from brokerweb.common.languages import asked_language
from brokerweb.common.sayings import said_of
from brokerweb.common.web_queue import WEB_QUEUE
from brokerweb.jobs.kinds import JobCancelled, kinds_of, queue_of, removable_kinds, right_for, turn_of, work_of
from brokerweb.jobs.models import OVER, Job, JobState
from brokerweb.jobs.selectors import job_of
from brokerweb.jobs.turns import is_stopping, take_turn
from engine import api as engine

logger = logging.getLogger(__name__)

RUN_TASK = "brokerweb.jobs.run"
TITLE_LENGTH_MAX = 200
PERSON_JOBS_MAX = 5
"""Jobs of one person that are queued or running."""
KEPT_FOR = timedelta(days=30)
"""How long a job that is over is kept with its result, where no run of the pipeline belongs to it."""
PERSON_JOBS_KEPT_MAX = 200
"""Jobs of one person that are over, and as many without a person."""
TELL_SECONDS = 0.4
"""How often progress is written at most."""
UNHEARD_AFTER = timedelta(seconds=30)
"""A job that is queued for so long is announced again."""
WAITING = "waiting"
"""The stage of a queued job whose worker does another one."""
LOST_AFTER = timedelta(minutes=15)
"""A job without heartbeat for so long has no worker any more; one that writes its result is silent for a while."""


def job_start(kind: str, *, title: str, arguments: bytes, user: User | None) -> Job:
    """A job of `kind`, queued; workers hear of it when the transaction is committed.

    Raises `TooManyJobs` for a person who has `PERSON_JOBS_MAX` that are not over.
    """
    with transaction.atomic():
        if user is not None:
            # Requests of one person that come at once are counted one after another.
            User.objects.select_for_update().get(pk=user.pk)
            if Job.objects.filter(owner=user).exclude(state__in=OVER).count() >= PERSON_JOBS_MAX:
                raise TooManyJobs(_("You have %(count)d jobs that are not over.") % {"count": PERSON_JOBS_MAX})
        job = Job.objects.create(
            kind=kind,
            title=title[:TITLE_LENGTH_MAX],
            said=said_of(title),
            language=asked_language(),
            arguments=arguments.decode(),
            owner=user,
            created_at=timezone.now(),
        )
        transaction.on_commit(lambda: _announce(job.pk, kind))
    return job


def _announce(job_id: UUID, kind: str, expires: float | None = None) -> None:
    try:
        engine.celery_app.send_task(
            RUN_TASK, args=[str(job_id)], queue=queue_of(kind), ignore_result=True, expires=expires
        )
    except Exception:
        logger.warning("No worker could be told of job %s; it is announced again later.", job_id, exc_info=True)


def job_cancel(job_id: UUID, *, user: User) -> None:
    """A queued job ends at once, a running one where it can; one that is over stays as it is.

    Raises `ObjectNotFound`, and `RightMissing` for somebody else's job without the right to edit.
    """
    job = job_of(job_id)
    if job.owner_id != user.pk and Right.EDIT not in user.rights:
        raise RightMissing(
            _("This is the job of somebody else."), cure=_("Ask them, or somebody who may edit, to cancel it.")
        )
    now = timezone.now()
    rows = Job.objects.filter(pk=job_id)
    if rows.filter(state=JobState.QUEUED).update(state=JobState.CANCELLED, ended_at=now, arguments=""):
        return
    rows.filter(state=JobState.RUNNING).update(state=JobState.CANCELLING)


def job_run(job_id: UUID) -> None:
    """Run a queued job to its end. Does nothing when somebody else has it, or it is over.

    A worker does one job of a turn at a time: another one stays queued, says that it waits, and is announced again
    when the first one has ended. So jobs leave the threads of a worker to what answers requests.
    """
    kind = Job.objects.filter(pk=job_id).values_list("kind", flat=True).first()
    if kind is None:
        return
    if is_stopping() and queue_of(kind) != WEB_QUEUE:
        # Another process, or this one when it is back, does it.
        return
    turn = turn_of(kind)
    with take_turn(turn) as is_ours:
        if is_ours:
            _claim_and_run(job_id)
        else:
            Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(stage=WAITING)
    if is_ours:
        _announce_next(turn)


def _announce_next(turn: str) -> None:
    following = Job.objects.filter(state=JobState.QUEUED, kind__in=kinds_of(turn)).order_by("created_at")
    for job_id, kind in following.values_list("pk", "kind")[:1]:
        _announce(job_id, kind)


def _claim_and_run(job_id: UUID) -> None:
    now = timezone.now()
    claimed = Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(
        state=JobState.RUNNING, started_at=now, heartbeat_at=now, stage=""
    )
    if not claimed:
        return
    job = Job.objects.select_related("owner").get(pk=job_id)
    work = work_of(job.kind)
    try:
        if work is None:
            raise LookupError(f"Nobody here does work of the kind {job.kind}.")
        with override(job.language):
            if job.owner is not None:
                require(job.owner, right_for(job.kind))
            result = work(_Run(job), job.arguments.encode())
    except JobCancelled:
        _end(job_id, JobState.CANCELLED)
    except _Stopped:
        _end(job_id, JobState.FAILED, problem=_LOST)
    except Exception as raised:
        error = full_disk(raised) or database_busy(raised) or raised
        if not isinstance(error, WebProblem | EngineRefused):
            logger.exception("Job %s failed.", job)
        _end(job_id, JobState.FAILED, problem=_told(error))
    else:
        _end(job_id, JobState.DONE, result=result.decode())


def _end(job_id: UUID, state: JobState, **fields: object) -> None:
    now = timezone.now()
    Job.objects.filter(pk=job_id).update(state=state, ended_at=now, heartbeat_at=now, arguments="", stage="", **fields)


def _told(error: Exception) -> dict[str, object]:
    """A failure as it is stored; `brokerweb.jobs.selectors` words what has a number or is the job's own."""
    match error:
        case EngineRefused():
            numbered = error.error
            return {
                "code": str(numbered.number),
                "detail": numbered.text,
                "why": numbered.why,
                "cure": numbered.cure,
                "parameters": dict(numbered.parameters),
                **error.parameters,
            }
        case WebProblem():
            return {"code": error.code, "detail": error.detail, "why": error.why, "cure": error.cure}
        case _:
            return {"code": "job-failed", "fault": type(error).__name__}


def jobs_tidy() -> None:
    """The regular look: what no worker heard of is announced again, what has lost its worker has failed.

    What is over is removed after `KEPT_FOR`, and sooner of a person who has more than `PERSON_JOBS_KEPT_MAX`.
    """
    now = timezone.now()
    unheard = Job.objects.filter(state=JobState.QUEUED, created_at__lt=now - UNHEARD_AFTER)
    for job_id, kind in unheard.values_list("pk", "kind"):
        # Who is busy for hours shall not find hundreds of these.
        _announce(job_id, kind, expires=2 * UNHEARD_AFTER.total_seconds())
    lost = Job.objects.filter(state__in=(JobState.RUNNING, JobState.CANCELLING), heartbeat_at__lt=now - LOST_AFTER)
    lost.update(state=JobState.FAILED, ended_at=now, arguments="", problem=_LOST)
    over = Job.objects.filter(state__in=OVER, kind__in=removable_kinds())
    over.filter(ended_at__lt=now - KEPT_FOR).delete()
    for owner in (
        over.order_by().values_list("owner").annotate(count=Count("pk")).filter(count__gt=PERSON_JOBS_KEPT_MAX)
    ):
        kept = over.filter(owner=owner[0]).order_by("-created_at").values_list("pk", flat=True)[:PERSON_JOBS_KEPT_MAX]
        over.filter(owner=owner[0]).exclude(pk__in=list(kept)).delete()


def jobs_release() -> None:
    """At the start of the one process that runs everything: jobs that were running ended with the last process."""
    Job.objects.exclude(state__in=(*OVER, JobState.QUEUED)).update(
        state=JobState.FAILED, ended_at=timezone.now(), arguments="", problem=_LOST
    )


_LOST = {"code": "job-lost"}


class _Stopped(Exception):
    """The process is being stopped, and does not wait for a job that takes as long as it takes."""


class _Run:
    """A job as its work sees it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._told_at = 0.0
        self._stage = ""

    @property
    def owner(self) -> User | None:
        return self._job.owner

    def progress(self, stage: str, done: int, total: int) -> None:
        if is_stopping() and queue_of(self._job.kind) != WEB_QUEUE:
            raise _Stopped
        if stage == self._stage and monotonic() - self._told_at < TELL_SECONDS:
            return
        self._stage, self._told_at = stage, monotonic()
        rows = Job.objects.filter(pk=self._job.pk)
        told = {"heartbeat_at": timezone.now(), "stage": stage, "done": done, "total": total}
        if not rows.filter(state=JobState.RUNNING).update(**told):
            raise JobCancelled
