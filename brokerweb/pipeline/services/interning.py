"""Conversations of an estate as `ingest` makes them of the lake, kept for whoever asks about the same ones again.

To find distinct flows takes two thirds of a what-if, and drafts are compared one after another over the same events.
What is kept is found by what the lake has (`engine.pipeline.lake_fingerprint`) and by the span. A run works on links to
the files: whatever is kept may be replaced or removed at any moment.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
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

KEPT_MAX: Final = 2
"""Of an estate: whoever compares drafts asks about one span, and perhaps about another beside it."""
INTERNED: Final = "interned"
_CONVERSATIONS: Final = "conversations"
_MANIFEST: Final = "manifest.json"


class Interned:
    """The conversations of a question, in a folder of a run that is nobody else's."""

    def __init__(self, estate: Estate, question: RunQuestion, between: Path) -> None:
        self.folder: Final = between / INTERNED
        self._between: Final = between
        self._span: Final = question.span(estate.name)
        self._kept: Final = interned_folder() / str(estate.pk) / _name(estate, question, self._span)
        self.is_kept: bool = False
        """Whether they were made by an earlier run."""

    def ready(self, progress: Progress) -> engine.pipeline.Manifest:
        """Have them in `folder`; what the job says that has read the lake. Raises as `engine.pipeline.run` does."""
        read = self._taken()
        if read is not None:
            self.is_kept = True
            return read
        found = self._between / _CONVERSATIONS
        read = step_run(_CONVERSATIONS, lake_folder(), found, self._span, within(_CONVERSATIONS, progress))
        step_run("ingest", found / _CONVERSATIONS, self.folder, {}, within("ingest", progress))
        self._keep()
        return read

    def forget(self) -> None:
        """They were of no use: the next run makes them anew."""
        shutil.rmtree(self._kept, ignore_errors=True)

    def _taken(self) -> engine.pipeline.Manifest | None:
        """None where there are none, not all, or somebody removes them just now: then nothing of them stays."""
        with suppress(OSError, msgspec.DecodeError):
            _link(self._kept, self._between)
            # The one that was of use last is removed last.
            os.utime(self._kept)
            read = engine.pipeline.manifest_of(self._between / _CONVERSATIONS)
            if read is not None:
                return read
        self.forget()
        for name in (INTERNED, _CONVERSATIONS):
            shutil.rmtree(self._between / name, ignore_errors=True)
        return None

    def _keep(self) -> None:
        """Where a disk knows no links nothing is kept, and each run makes its own."""
        new = self._kept.with_name(f".{uuid4().hex}")
        with suppress(OSError):
            _link(self.folder, new / INTERNED)
            (new / _CONVERSATIONS).mkdir()
            os.link(self._between / _CONVERSATIONS / _MANIFEST, new / _CONVERSATIONS / _MANIFEST)
            new.rename(self._kept)
        shutil.rmtree(new, ignore_errors=True)
        for each in _newest_first(self._kept.parent)[KEPT_MAX:]:
            shutil.rmtree(each, ignore_errors=True)


def _name(estate: Estate, question: RunQuestion, span: Mapping[str, str]) -> str:
    found = engine.pipeline.lake_fingerprint(lake_folder(), estate.name, question.until)
    return sha256("\n".join([found, span["since"], span["until"]]).encode()).hexdigest()[:32]


def _link(source: Path, target: Path) -> None:
    shutil.copytree(source, target, copy_function=os.link, dirs_exist_ok=True)


def _newest_first(folder: Path) -> list[Path]:
    found: list[tuple[float, Path]] = []
    for each in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if not each.name.startswith("."):
                found.append((each.stat().st_mtime, each))
    return [path for _at, path in sorted(found, reverse=True)]
