"""Conversations of an estate as `ingest` makes them of the lake, kept for whoever asks about the same ones again.

To read the lake and to find distinct flows takes more than half of a what-if, and drafts are compared one after another
over the same events. What is kept is found by the files that the lake has for the span. A run works on links to the
files of its own, and what is removed is gone at once: nobody waits for anybody.
"""

from __future__ import annotations

import logging
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import uuid4

import msgspec

from brokerweb.pipeline.folders import interned_folder, lake_folder
from brokerweb.pipeline.questions import RunQuestion
from brokerweb.pipeline.services.steps import Progress, step_run, within
from brokerweb.topology.models import Estate
from engine import api as engine

logger = logging.getLogger(__name__)
KEPT_MAX: Final = 2
"""Of an estate: whoever compares drafts asks about one span, and perhaps about another beside it."""
LISTING, INTERNING = "conversations", "ingest"
"""The jobs that make them, of a lake and of what the first one has made."""
_MADE, _READ = "interned", "read"
"""Folders of what is kept: the tables of the second job, the manifest of the first one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interned:
    """The conversations of a question."""

    folder: Path
    """What `ingest` has made of them: of one run, nobody else's."""
    read: engine.pipeline.Manifest
    """Of the job that has read the lake."""
    is_kept: bool
    """Whether that was an earlier run."""
    place: Path
    """Where they are kept for the next one, if they are."""


def interned(estate: Estate, question: RunQuestion, between: Path, progress: Progress) -> Interned:
    """Those that are kept, or made anew, in a folder of `between`. Raises as `engine.pipeline.run` does."""
    place, folder = _place(estate, question), between / _MADE
    known = _taken(place, folder)
    if known is not None:
        return Interned(folder=folder, read=known, is_kept=True, place=place)
    listed, span = between / "listed", question.span(estate.name)
    read = step_run(LISTING, lake_folder(), listed, span, within(LISTING, progress))
    step_run(INTERNING, listed / LISTING, folder, {}, within(INTERNING, progress))
    # Where something was exported meanwhile nobody knows whether it was read.
    if _place(estate, question) == place:
        _keep(folder, read, place)
    return Interned(folder=folder, read=read, is_kept=False, place=place)


def interned_remove(place: Path) -> None:
    """All of it in one moment, so that nobody takes a part; harmless where there is nothing."""
    gone = _new_name(place)
    with suppress(OSError):
        place.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _place(estate: Estate, question: RunQuestion) -> Path:
    span = question.span(estate.name)
    made_as = [str(engine.pipeline.JOBS[job].made_as) for job in (LISTING, INTERNING)]
    files = engine.pipeline.lake_fingerprint(lake_folder(), estate.name, question.until)
    name = sha256("\n".join([files, span["since"], span["until"], *made_as]).encode()).hexdigest()
    return interned_folder() / str(estate.pk) / name[:32]


def _taken(place: Path, folder: Path) -> engine.pipeline.Manifest | None:
    """None where there are none, or somebody removes them just now."""
    with suppress(OSError, msgspec.DecodeError):
        # First, so that nobody takes it for one that is of no use; the one that was of use last is removed last.
        os.utime(place)
        read = engine.pipeline.manifest_of(place / _READ)
        if read is not None:
            shutil.copytree(place / _MADE, folder, copy_function=os.link)
            return read
    shutil.rmtree(folder, ignore_errors=True)
    return None


def _keep(made: Path, read: engine.pipeline.Manifest, place: Path) -> None:
    """Where that does not work, on a disk without links for instance, each run makes its own."""
    new = _new_name(place)
    try:
        shutil.copytree(made, new / _MADE, copy_function=os.link)
        (new / _READ).mkdir()
        engine.pipeline.write_manifest(new / _READ, read)
        interned_remove(place)
        new.rename(place)
        for each in _newest_first(place.parent)[KEPT_MAX:]:
            interned_remove(each)
    except OSError as error:
        logger.info("Conversations for the next what-if are not kept: %s", error)
        shutil.rmtree(new, ignore_errors=True)


def _new_name(place: Path) -> Path:
    return place.with_name(f".{uuid4().hex}")


def _newest_first(folder: Path) -> list[Path]:
    found = [(each.stat().st_mtime, each) for each in folder.iterdir() if not each.name.startswith(".")]
    return [path for _at, path in sorted(found, reverse=True)]
