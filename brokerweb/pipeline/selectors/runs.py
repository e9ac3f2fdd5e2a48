"""Runs as they are shown, and what a run would take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db.models import Q
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.jobs.models import JobState
from brokerweb.jobs.selectors import job_shown
from brokerweb.pipeline.models import EstateLake, PipelineRun
from brokerweb.pipeline.questions import LAKE_READ_AT, RunQuestion
from brokerweb.topology.selectors.findings import estate_of

RUNS_MAX: Final = 200
"""How many runs a list has."""
_RUNS_JUDGED: Final = 10
_HOUR: Final = timedelta(hours=1)
_FROM_WORK: Final = ("state", "stage", "done", "total", "heartbeat_at", "started_at", "ended_at", "problem")
_NO_WORK: Final[dict[str, Any]] = {
    "stage": "",
    "done": 0,
    "total": 0,
    "heartbeat_at": None,
    "started_at": None,
    "ended_at": None,
}


def run_list(estate_name: str, before: UUID | None = None, *, most: int = RUNS_MAX) -> list[dict[str, Any]]:
    """The newest runs of an estate, at most so many, newest first; with `before` those that are older than that one.

    Raises `ObjectNotFound`.
    """
    rows = PipelineRun.objects.filter(estate=estate_of(estate_name)).select_related("owner", "work__owner")
    rows = rows.order_by("-created_at", "-pk")
    if before is not None:
        last = run_of(estate_name, before)
        rows = rows.filter(Q(created_at__lt=last.created_at) | Q(created_at=last.created_at, pk__lt=last.pk))
    return [_shown(row) for row in rows.defer("work__arguments", "work__result")[:most]]


def run_read(estate_name: str, run_id: UUID) -> dict[str, Any]:
    """One run; `ObjectNotFound` when the estate has none of that id."""
    return _shown(run_of(estate_name, run_id))


def run_of(estate_name: str, run_id: UUID) -> PipelineRun:
    """The row; `ObjectNotFound` when the estate has none of that id."""
    rows = PipelineRun.objects.filter(estate=estate_of(estate_name), pk=run_id)
    row = rows.select_related("estate", "owner", "work__owner").first()
    if row is None:
        raise ObjectNotFound(
            _("Estate {name} has no run {run_id}.").format(name=estate_name, run_id=run_id),
            cure=_("Look for it in the list of runs."),
        )
    return row


def question_of(row: PipelineRun) -> RunQuestion:
    """What was asked."""
    return msgspec.convert(row.question, RunQuestion)


def run_estimate(estate_name: str, job: str, since: datetime | None, until: datetime | None) -> dict[str, Any]:
    """How much a run would read, and how long runs of that job took here for so much."""
    lake = EstateLake.objects.filter(estate=estate_of(estate_name)).first()
    found = _sums([] if lake is None else lake.hours, since, until)
    return {**found, **_seconds(job, found["events"])}


def _sums(hours: list[list[Any]], since: datetime | None, until: datetime | None) -> dict[str, int]:
    """Hours count whole, the first and the last too: nothing finer is known without reading."""
    events = size = files = 0
    for name, of_events, of_bytes, of_files in hours:
        begins = datetime.fromisoformat(f"{name}:00").replace(tzinfo=UTC)
        if (since is None or begins + _HOUR > since) and (until is None or begins < until):
            events, size, files = events + of_events, size + of_bytes, files + of_files
    return {"events": events, "bytes": size, "files": files}


def _seconds(job: str, events: int) -> dict[str, Any]:
    """Judged by the run that read the most similar number of events: small runs are mostly Spark's own beginning."""
    done = PipelineRun.objects.filter(job=job, seconds__isnull=False, events__gt=0)
    # Those that found their conversations made say nothing of one that has to make them.
    done = done.exclude(notes__has_key=LAKE_READ_AT)
    known = list(done.order_by("-created_at").values_list("events", "seconds")[:_RUNS_JUDGED])
    if not known:
        return {"seconds": None, "judged_by": None}
    of_events, seconds = min(known, key=lambda run: abs(run[0] - events))
    # Fewer events save less than their share: Spark's own beginning stays.
    share = max(events / of_events, 1.0) if events >= of_events else 0.5 + events / of_events / 2
    return {"seconds": round(seconds * share, 1), "judged_by": {"events": of_events, "seconds": round(seconds, 1)}}


def _shown(row: PipelineRun) -> dict[str, Any]:
    question = question_of(row)
    tables = [{"name": name, **table} for name, table in row.tables.items()]
    return {
        "id": row.pk,
        "job": row.job,
        "since": question.since,
        "until": question.until,
        "revisions": row.revisions or list(question.revisions),
        "change_set": question.change_set,
        "examples": question.examples,
        "owner": None if row.owner is None else row.owner.get_username(),
        "created_at": row.created_at,
        **_state(row),
        "engine_version": row.engine_version or None,
        "rows_in": [{"name": name, "rows": rows} for name, rows in row.rows_in.items()],
        "tables": tables,
        "notes": [{"name": name, "value": value} for name, value in row.notes.items()],
        "bytes": row.bytes,
    }


def _state(row: PipelineRun) -> dict[str, Any]:
    if row.work is not None:
        work = job_shown(row.work)
        return {name: work[name] for name in _FROM_WORK}
    # The job was deleted: the tables say how it ended.
    state = JobState.DONE if row.tables else JobState.CANCELLED
    return {**_NO_WORK, "state": state.value, "problem": None}
