"""One job of the engine, for a run: which session it has, and how a step of several tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from django.conf import settings

from brokerweb.pipeline.folders import session_folder
from engine import api as engine

Progress = Callable[[str, int, int], None]


def step_run(
    name: str, source: Path, target: Path, given: Mapping[str, str], progress: Progress
) -> engine.pipeline.Manifest:
    """Run a job from folder to folder; raises as `engine.pipeline.run` does."""
    return engine.pipeline.run(
        name,
        source=source,
        target=target,
        work=session_folder(),
        master=settings.ENVIRONMENT.spark_master,
        given=given,
        progress=progress,
    )


def within(step: str, progress: Progress) -> Progress:
    """Stages of one of several jobs are told with its name in front."""
    return lambda stage, done, total: progress(f"{step}/{stage}", done, total)
