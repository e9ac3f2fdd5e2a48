"""The application a Celery worker is started with: `celery -A tests.engine.hosting.worker_app worker`."""

import os
from pathlib import Path

import engine.hosting.tasks  # noqa: F401
from engine.core.vocabulary.moment import Duration
from engine.hosting.app import celery_app, configure
from engine.hosting.settings import HostingSettings

configure(
    HostingSettings(
        data_directory=Path(os.environ["DATA_DIRECTORY"]),
        broker_url=os.environ["BROKER_URL"],
        wakes_web=False,
        retry_seconds=Duration(0.5),
    )
)

__all__ = ["celery_app"]
