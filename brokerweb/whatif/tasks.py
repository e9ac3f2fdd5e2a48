"""What workers do for what-ifs: jobs, whose kinds are known once this is imported, and runs of assertions."""

from __future__ import annotations

import brokerweb.whatif.services.simulations  # noqa: F401
from brokerweb.common.database import borrowed_connections
from brokerweb.whatif.models import Trigger
from brokerweb.whatif.services.assertion_following import DUE_TASK, RUN_TASK, assertions_due, assertions_follow
from engine import api as engine


@engine.celery_app.task(name=RUN_TASK, ignore_result=True)
def run_assertions(estate_name: str, trigger: str = Trigger.REVISION.value) -> None:
    """Run what is asserted of an estate."""
    with borrowed_connections():
        assertions_follow(estate_name, Trigger(trigger))


@engine.celery_app.task(name=DUE_TASK, ignore_result=True)
def look_for_due_assertions() -> None:
    """Have what is asserted run again where time has overtaken the results."""
    with borrowed_connections():
        assertions_due()
