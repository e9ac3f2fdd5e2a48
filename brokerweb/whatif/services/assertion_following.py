"""After each revision of an estate a worker runs its assertions."""

from __future__ import annotations

from typing import Final

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.common.web_queue import WEB_QUEUE
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.topology.services.announcing import on_revision
from brokerweb.whatif.models import Assertion, AssertionRun, Trigger
from brokerweb.whatif.selectors.basis import BasisAsked
from brokerweb.whatif.services.assertion_runs import assertions_run
from engine import api as engine

RUN_TASK: Final = "brokerweb.whatif.assertions"


@on_revision
def assertions_soon(estate_name: str) -> None:
    """Have a worker run the assertions of an estate, if it has any."""
    if Assertion.objects.filter(estate__name=estate_name, is_enabled=True).exists():
        engine.celery_app.send_task(RUN_TASK, args=[estate_name], queue=WEB_QUEUE, ignore_result=True)


def assertions_follow(estate_name: str) -> None:
    """Run and keep what is asserted of the newest revision, unless that was done: tasks of many revisions in a row."""
    try:
        estate = estate_of(estate_name)
    except ObjectNotFound:
        return  # It was deleted since.
    state = {"revision": estate.revision, "settled_count": estate.settled_count}
    if AssertionRun.objects.filter(estate=estate, trigger=Trigger.REVISION, **state).exists():
        return
    assertions_run(estate_name, BasisAsked(), trigger=Trigger.REVISION, user=None)
    wake_topology_watchers(estate_name)
