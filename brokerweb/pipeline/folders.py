"""Where the lake and the results of runs are: folders of the data directory, which web and workers share."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings

RESULT: Final = "result"
"""The folder of a run that has its tables and the manifest."""


def lake_folder() -> Path:
    """The lake of all estates."""
    return _pipeline() / "lake"


def runs_folder() -> Path:
    """The folders of all runs."""
    return _pipeline() / "runs"


def run_folder(run_id: UUID) -> Path:
    """Everything of one run."""
    return runs_folder() / str(run_id)


def result_folder(run_id: UUID) -> Path:
    """The tables of a run, a folder each; there once the run is done."""
    return run_folder(run_id) / RESULT


def interned_folder() -> Path:
    """Conversations as `ingest` has made them, a folder for each estate by its key."""
    return _pipeline() / "interned"


def uploads_folder() -> Path:
    """Traces that wait for their worker."""
    return _pipeline() / "uploads"


def reading_folder() -> Path:
    """What questions about tables do not keep in memory, a folder each; there as long as one is answered."""
    return _pipeline() / "reading"


def session_folder() -> Path:
    """What Spark itself writes."""
    folder: Path = settings.ENVIRONMENT.data_directory / "spark"
    return folder


def _pipeline() -> Path:
    folder: Path = settings.ENVIRONMENT.data_directory / "pipeline"
    return folder
