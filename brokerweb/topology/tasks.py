"""Celery tasks of the topology: one line each."""

from __future__ import annotations

import brokerweb.topology.services.import_jobs  # noqa: F401  workers know its kind of job then
from brokerweb.common.database import borrowed_connections
from brokerweb.topology.services.publish import PUBLISH_TASK, publish_pending
from engine import api as engine


@engine.celery_app.task(name=PUBLISH_TASK, ignore_result=True)
def publish() -> None:
    """Deliver what waits in the outbox."""
    with borrowed_connections():
        publish_pending()
