"""The engine as this process uses it: told where its data and its broker are, with our tasks beside its own."""

from __future__ import annotations

from brokerweb.common.web_queue import SPARK_QUEUE, WEB_QUEUE
from brokerweb.config.env import CANNOT_OPEN, ConfigurationError, Environment
from brokerweb.topology.services.publish import PUBLISH_TASK
from engine import api as engine

OUTBOX_SECONDS = 5.0
"""How often Celery beat has the outbox looked at, where nothing else does."""
JOBS_SECONDS = 30.0
"""How often Celery beat has jobs announced again that nobody heard of, and given up whose worker is gone."""
ASSERTIONS_SECONDS = 30.0
"""How often Celery beat has it looked up whether a route has expired since assertions were run."""
HEARD_SECONDS = 60.0
"""How often Celery beat has a worker with Spark say that it is there."""
LOGINS_SECONDS = 3600.0
"""How often Celery beat has expired sessions and login links removed."""


def configure_engine(environment: Environment) -> None:
    """Called once, when Django is ready: every process that imports the dashboard speaks to the same engine."""
    # Imported here, where the models are ready: a task is known to Celery once its module is.
    import brokerweb.live.tasks
    import brokerweb.topology.tasks  # noqa: F401
    from brokerweb.accounts.tasks import FORGET_TASK
    from brokerweb.common.leases.book import DjangoLeaseBook
    from brokerweb.jobs.tasks import TIDY_TASK
    from brokerweb.pipeline.tasks import EXPORT_TASK, HEARD_TASK
    from brokerweb.traffic.generator.step import register as generate_traffic
    from brokerweb.training.entry_log import DjangoEntryLog
    from brokerweb.whatif.tasks import DUE_TASK

    generate_traffic()
    # Without a broker of tasks one process is the whole product (`manage.py run`).
    is_alone = environment.celery_broker_url is None
    engine.sandboxes.keep_sandboxes(DjangoEntryLog(), observe=lambda: [engine.training.Manifest()], is_alone=is_alone)

    settings = engine.HostingSettings(
        data_directory=environment.engine_directory,
        broker_url=environment.celery_broker_url or engine.MEMORY_BROKER,
        result_backend=environment.celery_result_url,
        store_url=environment.engine_store_url,
        service_key=environment.service_key,
        reader_modules=environment.reader_modules,
        fragment_bytes=environment.fragment_bytes,
        object_bytes_kept=environment.object_bytes_kept,
        events_kept=environment.events_kept,
        metrics_port=environment.metrics_port,
        metrics_host=environment.metrics_host,
        metrics_token=environment.metrics_token,
        # One process hosts alone and keeps to the locks of its files, as long as the database may have to wait.
        leases=DjangoLeaseBook(fences=environment.celery_broker_url is not None),
    )
    engine.configure(settings)
    engine.celery_app.conf.beat_schedule = {
        "outbox": {"task": PUBLISH_TASK, "schedule": OUTBOX_SECONDS, "options": {"queue": WEB_QUEUE}},
        "jobs": {"task": TIDY_TASK, "schedule": JOBS_SECONDS, "options": {"queue": WEB_QUEUE}},
        "assertions": {"task": DUE_TASK, "schedule": ASSERTIONS_SECONDS, "options": {"queue": WEB_QUEUE}},
        "spark": _on_spark(HEARD_TASK, HEARD_SECONDS),
        **({"export": _on_spark(EXPORT_TASK, exports)} if (exports := environment.lake_export_seconds) else {}),
        "logins": {"task": FORGET_TASK, "schedule": LOGINS_SECONDS, "options": {"queue": WEB_QUEUE}},
    }


def require_service_key() -> None:
    """Raise `ConfigurationError` where the file of the service key holds none. It may be missing: it is made then."""
    try:
        engine.keys.check_service_key(engine.celery_app.hosting)
    except engine.keys.ServiceKeyUnusable as error:
        raise ConfigurationError(str(error), CANNOT_OPEN) from error


def _on_spark(task: str, seconds: float) -> dict[str, object]:
    """Where nobody takes the queue, or whoever takes it is busy for hours, they do not pile up."""
    return {"task": task, "schedule": seconds, "options": {"queue": SPARK_QUEUE, "expires": seconds}}


def embedded_engine() -> engine.EmbeddedEngine:
    """A worker in this process for the engine's tasks and for ours, not yet started."""
    return engine.EmbeddedEngine(further_queues=(WEB_QUEUE, SPARK_QUEUE))
