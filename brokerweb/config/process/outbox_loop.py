"""The regular look at the outbox, in a thread of the process: what could not be delivered at once goes out later.

Jobs that nobody heard of are looked at here as well, and assertions whose results time has overtaken; where the extra
`spark` is installed the export into the lake is ordered. That this process lives is written down (`pulse`).
"""

from __future__ import annotations

import logging
import threading
from time import monotonic

from django.conf import settings

from brokerweb.common.database import borrowed_connections
from brokerweb.common.web_queue import SPARK_QUEUE
from brokerweb.config.process.pulse import pulse
from brokerweb.jobs.services import jobs_tidy
from brokerweb.pipeline.services.runs import is_installed
from brokerweb.pipeline.tasks import EXPORT_TASK
from brokerweb.topology.services.publish import publish_begin, publish_pending, publish_stop
from brokerweb.whatif.services.assertion_following import assertions_due
from engine import api as engine

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
TIDY_SECONDS = 30.0
STOP_SECONDS_MAX = 5.0


class OutboxLoop:
    """Looks every second until it is stopped."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    def start(self) -> None:
        publish_begin()
        self._thread.start()

    def stop(self) -> None:
        """Let the deliveries that are under way end, those of the worker's tasks too, then return."""
        self._stopping.set()
        ends_at = monotonic() + STOP_SECONDS_MAX
        publish_stop(STOP_SECONDS_MAX)
        self._thread.join(timeout=max(ends_at - monotonic(), 0.0))

    def _run(self) -> None:
        tidy_at = 0.0
        export_seconds = settings.ENVIRONMENT.lake_export_seconds if is_installed() else 0
        export_at = monotonic() + export_seconds
        while not self._stopping.is_set():
            try:
                pulse(settings.ENVIRONMENT.data_directory)
                with borrowed_connections():
                    publish_pending()
                    if monotonic() >= tidy_at:
                        tidy_at = monotonic() + TIDY_SECONDS
                        jobs_tidy()
                        assertions_due()
                if export_seconds and monotonic() >= export_at:
                    export_at = monotonic() + export_seconds
                    engine.celery_app.send_task(EXPORT_TASK, queue=SPARK_QUEUE, ignore_result=True)
            except Exception:
                logger.exception("The outbox could not be looked at.")
            self._stopping.wait(LOOK_SECONDS)
