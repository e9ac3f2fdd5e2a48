"""Runs as people ask for them: started, repeated, cancelled, deleted."""

from __future__ import annotations

import shutil
from datetime import datetime
from importlib.util import find_spec
from typing import Final
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

import brokerweb.pipeline.sayings  # noqa: F401  makes the titles known
from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import EngineRefused, MalformedRequest, RightMissing
from brokerweb.common.pipeline_errors import RunUnderWay
from brokerweb.common.sayings import saying
from brokerweb.jobs.models import OVER
from brokerweb.jobs.services import job_cancel, job_start
from brokerweb.pipeline.folders import run_folder
from brokerweb.pipeline.models import PipelineRun
from brokerweb.pipeline.questions import AUDIT, WHATIF, RunQuestion
from brokerweb.pipeline.selectors.runs import question_of, run_of
from brokerweb.pipeline.services.snapshots import draft_to_ask, revision_check
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.services.decisions import decision_log
from brokerweb.topology.services.revision import estate_lock
from engine import api as engine

RUN: Final = "pipeline-run"
"""The kind of the job that does a run."""
EXTRA: Final = "pyspark"
PACKAGE_MISSING: Final = 39021


def is_installed() -> bool:
    """Whether this process could do runs by itself."""
    return find_spec(EXTRA) is not None


def demand_extra() -> None:
    """`EngineRefused` (39021) where this process is the whole product and the extra `spark` is not installed."""
    if settings.ENVIRONMENT.celery_broker_url is None and not is_installed():
        raise EngineRefused(engine.LocalProtocolError(PACKAGE_MISSING, name=EXTRA))


def run_start(estate_name: str, asked: RunQuestion, *, user: User | None) -> UUID:
    """A new run, queued; its id.

    Raises `ObjectNotFound` for an estate, revision or change set that there is not, `ChangeSetClosed`,
    `MalformedRequest` for a span that ends before it begins and for what the job does not take, and `EngineRefused`
    (39021) where nobody could do it.
    """
    estate = estate_of(estate_name)
    _check_span(asked.since, asked.until)
    question = _completed(estate, asked)
    demand_extra()
    return _started(estate, question, user)


def run_again(estate_name: str, run_id: UUID, *, user: User | None) -> UUID:
    """The same question as a new run; raises as `run_start`. The draft is asked as it is then."""
    row = run_of(estate_name, run_id)
    question = question_of(row)
    if question.change_set is not None:
        base = () if question.is_from_live else question.revisions[:1]
        question = msgspec.structs.replace(question, revisions=base, is_from_live=False)
    return run_start(estate_name, question, user=user)


@transaction.atomic
def _started(estate: Estate, question: RunQuestion, user: User | None) -> UUID:
    row = PipelineRun(
        estate=estate,
        job=question.job,
        question=msgspec.to_builtins(question),
        owner=user,
        created_at=timezone.now(),
    )
    title = saying("pipeline-run", job=question.job, estate=estate.name)
    row.work = job_start(RUN, title=title, arguments=msgspec.json.encode(row.pk), user=user)
    row.save(force_insert=True)
    return row.pk


def run_cancel(estate_name: str, run_id: UUID, *, user: User) -> None:
    """A queued run ends at once, a running one within moments, one that is over stays as it is.

    Raises `ObjectNotFound`, and `RightMissing` for somebody else's run without the right to edit.
    """
    row = run_of(estate_name, run_id)
    if row.work is not None:
        job_cancel(row.work.pk, user=user)


def run_delete(estate_name: str, run_id: UUID, *, user: User) -> None:
    """Files and row; the job stays in the list of jobs.

    Raises `ObjectNotFound`, `RunUnderWay` for one that has not ended, and `RightMissing` as cancelling does.
    """
    with transaction.atomic():
        estate = estate_lock(estate_name)
        row = run_of(estate_name, run_id)
        if row.owner_id != user.pk and Right.EDIT not in user.rights:
            raise RightMissing(
                _("This is the run of somebody else."), cure=_("Ask them, or somebody who may edit, to delete it.")
            )
        if row.work is not None and row.work.state not in OVER:
            raise RunUnderWay(_("Run {run_id} has not ended.").format(run_id=run_id))
        decision_log(estate, user=user, summary=saying("delete-pipeline-run", job=row.job))
        row.delete()
        # What is left when this process dies here is nobody's: whoever exports removes it.
        transaction.on_commit(lambda: shutil.rmtree(run_folder(run_id), ignore_errors=True))


def _check_span(since: datetime | None, until: datetime | None) -> None:
    if since is not None and until is not None and since >= until:
        raise MalformedRequest(
            _("The span of time ends before it begins."),
            why=_("Events of [since, until) are read, and there can be none."),
            cure=_("Choose an end that is after the beginning."),
            pointer="/until",
        )


def _completed(estate: Estate, asked: RunQuestion) -> RunQuestion:
    if asked.examples is not None and asked.job != AUDIT:
        raise MalformedRequest(_("Only {job} takes examples.").format(job=AUDIT), pointer="/examples")
    if asked.job != WHATIF:
        if asked.revisions or asked.change_set is not None:
            raise MalformedRequest(
                _("Only {job} compares revisions.").format(job=WHATIF),
                pointer="/revisions" if asked.revisions else "/change_set",
            )
        return asked
    if asked.change_set is not None:
        return _with_draft(estate, asked, asked.change_set)
    if len(asked.revisions) != len(set(asked.revisions)) or len(asked.revisions) != 2:
        raise MalformedRequest(
            _("A what-if compares two revisions, or a revision and a change set."),
            cure=_("Name two different revisions, or a change set."),
            pointer="/revisions",
        )
    for place, revision in enumerate(asked.revisions):
        revision_check(estate, revision, f"/revisions/{place}")
    if asked.revisions[0] > asked.revisions[1]:
        raise MalformedRequest(
            _("Revision {first} is later than {second}.").format(first=asked.revisions[0], second=asked.revisions[1]),
            why=_("What becomes of conversations is told of the later revision against the earlier one."),
            cure=_("Name the earlier one first."),
            pointer="/revisions",
        )
    return asked


def _with_draft(estate: Estate, asked: RunQuestion, number: int) -> RunQuestion:
    """A draft is compared with what is live when the run begins, or with the revision that is named.

    Its number is the next one of the estate.
    """
    draft_to_ask(estate, number)
    base = asked.revisions[0] if asked.revisions else estate.revision
    revision_check(estate, base, "/revisions/0")
    return msgspec.structs.replace(asked, revisions=(base, estate.revision + 1), is_from_live=not asked.revisions)
