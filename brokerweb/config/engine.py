"""The engine as this process uses it: told where its data and its broker are, with our tasks beside its own."""

from __future__ import annotations

from brokerweb.config.env import Environment
from brokerweb.topology.services.publish import PUBLISH_TASK, WEB_QUEUE
from engine import api as engine

OUTBOX_SECONDS = 5.0
"""How often Celery beat has the outbox looked at, where nothing else does."""


def configure_engine(environment: Environment) -> None:
    """Called once, when Django is ready: every process that imports the dashboard speaks to the same engine."""
    # Imported here, where the models are ready: a task is known to Celery once its module is.
    import brokerweb.live.tasks
    import brokerweb.topology.tasks  # noqa: F401

    settings = engine.HostingSettings(
        data_directory=environment.engine_directory,
        broker_url=environment.celery_broker_url or engine.MEMORY_BROKER,
        result_backend=environment.celery_result_url,
        service_key=environment.service_key,
        fragment_bytes=environment.fragment_bytes,
    )
    engine.configure(settings)
    engine.celery_app.conf.beat_schedule = {
        "outbox": {"task": PUBLISH_TASK, "schedule": OUTBOX_SECONDS, "options": {"queue": WEB_QUEUE}},
    }


def embedded_engine() -> engine.EmbeddedEngine:
    """A worker in this process for the engine's tasks and for ours, not yet started."""
    return engine.EmbeddedEngine(further_queues=(WEB_QUEUE,))
