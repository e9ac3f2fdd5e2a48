"""`EmbeddedEngine`: a Celery worker in a thread of the calling process, for everything that needs no second process.

It is the same worker that a large installation runs by itself, with the same bootstep and tasks. Signals stay with
the main thread: whoever starts it stops it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Any, Final

from celery.exceptions import WorkerTerminate
from celery.platforms import EX_FAILURE
from celery.worker import WorkController

import engine.hosting.tasks  # noqa: F401  a worker without tasks would answer nothing
from engine.hosting.app import CONTROL_QUEUE, celery_app
from engine.hosting.errors import EngineUnavailable
from engine.hosting.memory_broker import alarm_workers

STOP_SECONDS_MAX: Final = 60.0

logger = logging.getLogger(__name__)


class EmbeddedEngine:
    """A worker with threads that hosts the engine and, with `further_queues`, runs tasks of the application as well."""

    def __init__(self, further_queues: Sequence[str] = ()) -> None:
        """Tasks on `further_queues` must be registered with `celery_app` before `start`."""
        self._queues = (CONTROL_QUEUE, *further_queues)
        self._worker: _EmbeddedWorker | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Returns when the instances of the data directory work and tasks are taken.

        Raises `EngineUnavailable` with the reason, as its cause where that is no sentence, when it cannot start.
        """
        settings = celery_app.hosting
        if settings is None:
            raise EngineUnavailable("The engine was not configured.")
        # Threads of the worker find the application by this, not by an argument.
        celery_app.set_default()
        celery_app.finalize()
        self._worker = _EmbeddedWorker(
            app=celery_app,
            hostname="embedded@localhost",
            pool="threads",
            concurrency=settings.worker_threads,
            queues=list(self._queues),
            # Celery itself looks at them once a process.
            include=list(settings.reader_modules),
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        self._thread = threading.Thread(target=self._worker.start, name="engine-worker", daemon=True)
        self._thread.start()
        while not self._worker.is_ready.wait(0.1):
            if not self._thread.is_alive():
                failure = self._worker.failure
                if isinstance(failure, EngineUnavailable):
                    raise failure
                raise EngineUnavailable("The engine's worker could not start; the log says why.") from failure

    def stop(self) -> None:
        """Let the running tasks finish, drain and close the instances. Harmless when stopped."""
        if self._worker is None or self._thread is None:
            return
        self._worker.stop()
        alarm_workers()
        self._thread.join(STOP_SECONDS_MAX)
        self._worker = self._thread = None


class _EmbeddedWorker(WorkController):
    def __init__(self, **options: Any) -> None:
        self.is_ready = threading.Event()
        self.failure: BaseException | None = None
        super().__init__(**options)

    def start(self) -> None:
        """As Celery's own, which logs what goes wrong and keeps it from whoever waits for the worker.

        Whoever waits says a sentence by itself.
        """
        try:
            self.blueprint.start(self)
        except WorkerTerminate:
            self.terminate()
        except SystemExit as error:
            self.failure = error
            self.stop(exitcode=error.code)
        except Exception as error:
            self.failure = error
            if not isinstance(error, EngineUnavailable):
                logger.critical("The engine's worker has failed.", exc_info=True)
            self.stop(exitcode=EX_FAILURE)

    def on_consumer_ready(self, consumer: Any) -> None:
        self.is_ready.set()
