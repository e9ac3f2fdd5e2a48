"""The Celery application of the engine: which broker carries commands, and how.

One application serves a process: a web process that hosts the engine itself adds its own tasks to it, and one worker
runs them all. `configure` is called once, before anything else, with values the edge has read.
"""

from __future__ import annotations

from typing import Final
from uuid import uuid4

from celery import Celery
from kombu.exceptions import OperationalError
from kombu.transport import TRANSPORT_ALIASES

import engine.hosting.memory_broker  # noqa: F401  makes its scheme known
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting.quoted_names import QUEUE_BYTES_MAX, fitting, quoted
from engine.hosting.settings import HostingSettings
from engine.tsql.grammar import keep_grammar_in

CONTROL_QUEUE: Final = "engine.control"
"""Opening and closing of instances; any worker that hosts."""

RESULT_SECONDS: Final = 600
"""How long a result waits to be fetched, should its asker be gone."""


_RESULT_RETRIES: Final = {"max_retries": 3, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.5}
"""A result store that is away is given a second; Celery's own twenty would hold every asker up for as many seconds."""


# By name: who has another broker does not load it.
TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), "engine.hosting.redis_broker:Transport"))


class EngineCelery(Celery):
    """Celery with the engine's settings beside its own; None until `configure` was called."""

    hosting: HostingSettings | None = None

    @property
    def thread_oid(self) -> str:
        """Name of the queue on which RabbitMQ brings this thread its answers.

        Celery makes it of the thread's number, which a later thread gets again: then the consumer that the earlier one
        has left behind takes some of its answers.
        """
        known: str | None = getattr(self._local, "oid", None)
        if known is None:
            known = self._local.oid = str(uuid4())
        return known


celery_app: Final = EngineCelery("engine", set_as_current=False)


def configure(settings: HostingSettings) -> None:
    """Point the application at its broker and its data; the table of the T-SQL grammar is kept there too."""
    celery_app.hosting = settings
    keep_grammar_in(settings.data_directory)
    celery_app.conf.update(
        broker_url=settings.broker_url,
        result_backend=settings.result_backend_url,
        broker_connection_retry_on_startup=True,
        task_default_queue=CONTROL_QUEUE,
        accept_content=["json"],
        include=settings.reader_modules,
        result_expires=RESULT_SECONDS,
        result_backend_transport_options={"retry_policy": _RESULT_RETRIES},
        # A command is acknowledged when its reply is durable: a worker that dies gives it back, and the command's
        # own key makes the repetition harmless.
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )


def broker_errors() -> tuple[type[BaseException], ...]:
    """What is raised when the broker, or where it keeps results, cannot be reached: each kind has errors of its own.

    Without Python's own, which a task may have raised, except what says that a connection is lost.
    """
    with celery_app.connection_for_write() as connection:
        own = connection.connection_errors + getattr(celery_app.backend, "connection_errors", ())
    return (OperationalError, ConnectionError, *(each for each in own if each.__module__ != "builtins"))


def queue_of(estate: EstateName, instance: InstanceName) -> str:
    """The queue on which an instance is asked. Names are quoted: brokers read dots and spaces in their own way."""
    return fitting(f"engine.{quoted(estate)}.{quoted(instance)}", QUEUE_BYTES_MAX)
