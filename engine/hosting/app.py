"""The Celery application of the engine: which broker carries commands, and how.

One application serves a process: a web process that hosts the engine itself adds its own tasks to it, and one worker
runs them all. `configure` is called once, before anything else, with values the edge has read.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from celery import Celery

import engine.hosting.memory_broker  # noqa: F401  makes its scheme known
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting.settings import HostingSettings

CONTROL_QUEUE: Final = "engine.control"
"""Opening and closing of instances; any worker that hosts."""

RESULT_SECONDS: Final = 600
"""How long a result waits to be fetched, should its asker be gone."""


_RESULT_RETRIES: Final = {"max_retries": 3, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.5}
"""A result store that is away is given a second; Celery's own twenty would hold every asker up for as many seconds."""


class EngineCelery(Celery):
    """Celery with the engine's settings beside its own; None until `configure` was called."""

    hosting: HostingSettings | None = None


celery_app: Final = EngineCelery("engine", set_as_current=False)


def configure(settings: HostingSettings) -> None:
    """Point the application at its broker and its data."""
    celery_app.hosting = settings
    celery_app.conf.update(
        broker_url=settings.broker_url,
        result_backend=settings.result_backend_url,
        broker_connection_retry_on_startup=True,
        task_default_queue=CONTROL_QUEUE,
        accept_content=["json"],
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


def queue_of(estate: EstateName, instance: InstanceName) -> str:
    """The queue on which an instance is asked. Names are quoted: brokers read dots and spaces in their own way."""
    return ".".join(("engine", *(quote(name, safe="").replace(".", "%2E") for name in (estate, instance))))
