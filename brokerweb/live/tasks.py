"""Celery tasks of the live view: one line each."""

from __future__ import annotations

from brokerweb.common.wakeups import wake_instance_watchers
from engine import api as engine


@engine.celery_app.task(name="brokerweb.live.wake", ignore_result=True)
def wake(estate: str, instance: str, sequence: int) -> None:
    """An instance has committed events up to `sequence`."""
    wake_instance_watchers(estate, instance, sequence)
