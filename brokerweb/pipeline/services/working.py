"""What a worker does for a run: one job of the engine, or the three of a what-if, and what came of them."""

from __future__ import annotations

import shutil
from typing import Final
from uuid import UUID

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.rights import Right
from brokerweb.common.errors import EngineRefused
from brokerweb.common.pipeline_errors import ResultUnwritable
from brokerweb.common.web_queue import SPARK_QUEUE
from brokerweb.jobs.kinds import JobCancelled, JobRun, job_kind
from brokerweb.pipeline.folders import lake_folder, result_folder, run_folder
from brokerweb.pipeline.models import PipelineRun
from brokerweb.pipeline.questions import LAKE_READ_AT, WHATIF, RunQuestion
from brokerweb.pipeline.selectors.runs import question_of
from brokerweb.pipeline.services.interning import interned, interned_remove
from brokerweb.pipeline.services.runs import RUN
from brokerweb.pipeline.services.snapshots import draft_frozen, snapshots_write
from brokerweb.pipeline.services.steps import Progress, step_run, within
from engine import api as engine

EVENTS: Final = "events"
"""What a manifest calls the rows of the lake that were read."""
_BETWEEN: Final = "between"


@job_kind(RUN, needs=Right.OPERATE, queue=SPARK_QUEUE)
def run_work(run: JobRun, arguments: bytes) -> bytes:
    """Do a run; nothing of it is kept when it fails or is cancelled. The result says which run it was."""
    run_id = msgspec.json.decode(arguments, type=UUID)
    row = PipelineRun.objects.select_related("estate").filter(pk=run_id).first()
    if row is None:
        raise JobCancelled
    folder = run_folder(run_id)
    run.progress("starting", 0, 0)
    begun = timezone.now()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        manifest, events = _worked(row, question_of(row), run.progress)
    except engine.BrokerError as error:
        raise EngineRefused(error) from error
    except OSError as error:
        raise ResultUnwritable(
            _("The results cannot be written: {reason}.").format(reason=error.strerror or error),
            why=_("They are kept in {folder}.").format(folder=folder),
            cure=_("See that there is room, and that the worker may write there; then start the run again."),
        ) from error
    finally:
        shutil.rmtree(folder / _BETWEEN, ignore_errors=True)
    seconds = (timezone.now() - begun).total_seconds()
    _keep(row, manifest, events, seconds)
    return msgspec.json.encode({"run": run_id})


def _worked(row: PipelineRun, question: RunQuestion, progress: Progress) -> tuple[engine.pipeline.Manifest, int]:
    """What came of it, and how many events of the lake it is about."""
    if question.job == WHATIF:
        return _compared(row, question, progress)
    more = {} if question.examples is None else {"examples": str(question.examples)}
    span = question.span(row.estate.name)
    manifest = step_run(question.job, lake_folder(), result_folder(row.pk), {**span, **more}, progress)
    return manifest, manifest.rows_in.get(EVENTS, 0)


def _compared(row: PipelineRun, question: RunQuestion, progress: Progress) -> tuple[engine.pipeline.Manifest, int]:
    between = run_folder(row.pk) / _BETWEEN
    snapshots = between / "snapshots"
    question, draft = draft_frozen(row, question)
    snapshots_write(row.estate, question.revisions, snapshots, draft=draft, progress=progress)
    found = interned(row.estate, question, between, progress)
    asked = {"snapshots": str(snapshots)}
    try:
        manifest = step_run(WHATIF, found.folder, result_folder(row.pk), asked, within(WHATIF, progress))
    except (engine.BrokerError, OSError, ValueError):
        if found.is_kept:
            # Whatever it was: who starts the run again does not fail once more for what was kept.
            interned_remove(found.place)
        raise
    notes = {**manifest.notes, **({LAKE_READ_AT: found.read.ended_at.isoformat()} if found.is_kept else {})}
    rows_in = {**found.read.rows_in, **manifest.rows_in}
    return msgspec.structs.replace(manifest, rows_in=rows_in, notes=notes), rows_in.get(EVENTS, 0)


def _keep(row: PipelineRun, manifest: engine.pipeline.Manifest, events: int, seconds: float) -> None:
    """The small result goes into the row, beside the manifest in the folder (product.md F8)."""
    size = sum(path.stat().st_size for path in result_folder(row.pk).rglob("*") if path.is_file())
    PipelineRun.objects.filter(pk=row.pk).update(
        engine_version=manifest.engine_version,
        revisions=list(manifest.revisions),
        rows_in=manifest.rows_in,
        tables=msgspec.to_builtins(manifest.tables),
        notes=manifest.notes,
        bytes=size,
        events=events,
        seconds=round(seconds, 3),
    )
