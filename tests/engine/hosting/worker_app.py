"""The application a Celery worker is started with: `celery -A tests.engine.hosting.worker_app worker`."""

import os
import time
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
        reader_modules=tuple(os.environ.get("READER_MODULES", "").split()),
        retry_seconds=Duration(0.5),
    )
)

SLOW_SECONDS = 2.0


@celery_app.task(name="tests.be_slow")
def be_slow(begun: str) -> None:
    """Say that it is under way, and be so for a while."""
    Path(begun).touch()
    time.sleep(SLOW_SECONDS)


__all__ = ["celery_app"]
