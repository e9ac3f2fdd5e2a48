"""A worker runs the assertions of an estate after each of its revisions, and after the end of a route of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.common.web_queue import WEB_QUEUE
from brokerweb.topology.models import Estate, Route, TopologyRevision
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.services.announcing import on_revision
from brokerweb.whatif.models import Assertion, AssertionRun, Trigger
from brokerweb.whatif.selectors.basis import BasisAsked
from brokerweb.whatif.services.assertion_runs import assertions_run
from engine import api as engine

RUN_TASK: Final = "brokerweb.whatif.assertions"
DUE_TASK: Final = "brokerweb.whatif.assertions_due"
LOST_AFTER: Final = timedelta(seconds=60)
"""How old a revision is when the task that was to run its assertions is taken for lost."""


@on_revision
def assertions_soon(estate_name: str) -> None:
    """Have a worker run the assertions of an estate, if it has any."""
    if Assertion.objects.filter(estate__name=estate_name, is_enabled=True).exists():
        engine.celery_app.send_task(RUN_TASK, args=[estate_name], queue=WEB_QUEUE, ignore_result=True)


def assertions_due() -> list[tuple[str, Trigger]]:
    """Have workers run again what time has overtaken: a route has expired since, or the run of a revision was lost.

    Answers of which estates, and why.
    """
    due = []
    for estate in Estate.objects.filter(assertions__is_enabled=True).distinct():
        trigger = Trigger.EXPIRY if _has_expired_since(estate) else Trigger.REVISION
        if trigger is Trigger.EXPIRY or _has_lost_its_run(estate):
            args = [estate.name, trigger.value]
            engine.celery_app.send_task(RUN_TASK, args=args, queue=WEB_QUEUE, ignore_result=True)
            due.append((estate.name, trigger))
    return due


def assertions_follow(estate_name: str, trigger: Trigger = Trigger.REVISION) -> None:
    """Run and keep what is asserted of what is live, unless another task has done so meanwhile: many come in a row."""
    try:
        estate = estate_of(estate_name)
    except ObjectNotFound:
        return  # It was deleted since.
    is_done = not _has_expired_since(estate) if trigger is Trigger.EXPIRY else _has_its_run(estate)
    if not is_done:
        assertions_run(estate_name, BasisAsked(), trigger=trigger, user=None)
        wake_topology_watchers(estate_name)


def _has_expired_since(estate: Estate) -> bool:
    """Whether a route has expired since one of the assertions was run last: its result may be another one now."""
    oldest = _results(estate).order_by("last_run__at").values_list("last_run__at", flat=True).first()
    if oldest is None:
        return False
    routes = Route.objects.filter(database__instance__estate=estate)
    return routes.filter(expires_at__gt=oldest, expires_at__lte=timezone.now()).exists()


def _has_its_run(estate: Estate) -> bool:
    """Whether the newest revision was followed by a run."""
    runs = AssertionRun.objects.filter(estate=estate, trigger=Trigger.REVISION)
    return runs.filter(revision=estate.revision, settled_count=estate.settled_count).exists()


def _has_lost_its_run(estate: Estate) -> bool:
    """Whether results are of an older state than the newest, which no worker has run though it had the time."""
    newest = {"last_run__revision": estate.revision, "last_run__settled_count": estate.settled_count}
    if _has_its_run(estate) or not _results(estate).exclude(**newest).exists():
        return False
    young = TopologyRevision.objects.filter(estate=estate, created_at__gt=timezone.now() - LOST_AFTER)
    return not young.exists()


def _results(estate: Estate) -> QuerySet[Assertion]:
    """Enabled assertions that have a result, and are asked of the instant of the run."""
    return Assertion.objects.filter(estate=estate, is_enabled=True, at=None, last_run__isnull=False)
