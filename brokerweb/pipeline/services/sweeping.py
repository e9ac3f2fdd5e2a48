"""What nobody reads any more is removed from the data directory.

Of runs that are deleted, over, or were killed, and conversations that were kept for the next what-if.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from brokerweb.jobs.models import OVER
from brokerweb.pipeline.folders import RESULT, interned_folder, reading_folder, runs_folder
from brokerweb.pipeline.models import PipelineRun
from brokerweb.pipeline.services.interning import interned_remove
from brokerweb.pipeline.services.uploads import is_id
from brokerweb.topology.models import Estate

LEFT_AFTER_SECONDS: Final = 3600.0
"""No answer takes so long, and no file that is made for a download stands so long without growing."""

INTERNED_FOR_SECONDS: Final = 86_400.0
"""How long conversations are kept that no what-if asks about."""


def runs_sweep() -> None:
    """Remove what is in no row, and what a killed process has left of a run that is over, or of a question.

    Folders in no row are of estates that are gone, or left by a process that died deleting. Of a run that is over its
    result stays, and what is young: somebody may download it.
    """
    folders = [] if not runs_folder().is_dir() else list(runs_folder().iterdir())
    kept, over = _known()
    for folder in folders:
        if folder.name not in kept and is_id(folder.name):
            shutil.rmtree(folder, ignore_errors=True)
        elif folder.name in over:
            _remove_old(each for each in folder.iterdir() if each.name != RESULT)
    if reading_folder().is_dir():
        _remove_old(reading_folder().iterdir())
    if interned_folder().is_dir():
        _interned_sweep()


def _interned_sweep() -> None:
    estates = {str(key) for key in Estate.objects.values_list("pk", flat=True)}
    newest = time.time() - INTERNED_FOR_SECONDS
    for folder in interned_folder().iterdir():
        if folder.name not in estates:
            interned_remove(folder)
            continue
        # A folder that is used is touched, its files are not; and a run may remove it meanwhile.
        with suppress(OSError):
            for each in folder.iterdir():
                if each.stat().st_mtime < newest:
                    interned_remove(each)


def _known() -> tuple[set[str], set[str]]:
    """Ids of all runs, and of those that nobody works at."""
    found = list(PipelineRun.objects.values_list("pk", "work__state"))
    return {str(run_id) for run_id, _state in found}, {
        str(run_id) for run_id, state in found if state is None or state in OVER
    }


def _remove_old(paths: Iterable[Path]) -> None:
    newest = time.time() - LEFT_AFTER_SECONDS
    for path in paths:
        if _changed_at(path) < newest:
            shutil.rmtree(path, ignore_errors=True)


def _changed_at(folder: Path) -> float:
    """When anything in it was written last; for what is gone meanwhile, now."""
    try:
        return max(path.stat().st_mtime for path in (folder, *folder.rglob("*")))
    except FileNotFoundError:
        return time.time()
