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


@celery_app.task(name="tests.be_slow")
def be_slow(begun: str, may_end: str) -> None:
    """Say that it is under way, and be so until it may end."""
    Path(begun).touch()
    while not Path(may_end).exists():
        time.sleep(0.02)


__all__ = ["celery_app"]
