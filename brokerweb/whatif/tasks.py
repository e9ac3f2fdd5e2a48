"""What workers do for what-ifs: jobs, whose kinds are known once this is imported, and runs after a revision."""

from __future__ import annotations

import brokerweb.whatif.services.simulations  # noqa: F401
from brokerweb.common.database import borrowed_connections
from brokerweb.whatif.services.assertion_following import RUN_TASK, assertions_follow
from engine import api as engine


@engine.celery_app.task(name=RUN_TASK, ignore_result=True)
def run_assertions(estate_name: str) -> None:
    """Run what is asserted of an estate."""
    with borrowed_connections():
        assertions_follow(estate_name)
