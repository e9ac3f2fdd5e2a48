"""What workers do for bulk questions: jobs, whose kinds are known once this is imported, and the regular export."""

from __future__ import annotations

import brokerweb.pipeline.services.export_jobs
import brokerweb.pipeline.services.trace_imports
import brokerweb.pipeline.services.working  # noqa: F401
from brokerweb.common.database import borrowed_connections
from brokerweb.pipeline.services.exporting import lake_export_all, worker_heard
from engine import api as engine

EXPORT_TASK = "brokerweb.pipeline.export"
HEARD_TASK = "brokerweb.pipeline.heard"


@engine.celery_app.task(name=EXPORT_TASK, ignore_result=True)
def export() -> None:
    """Export what all instances of all estates have told."""
    with borrowed_connections():
        lake_export_all()


@engine.celery_app.task(name=HEARD_TASK, ignore_result=True)
def heard() -> None:
    """Say that there is a worker with Spark."""
    with borrowed_connections():
        worker_heard()
