"""`swapped`: a folder that appears whole or not at all, in the place of the one that was there."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def swapped(target: Path) -> Iterator[Path]:
    """A new folder beside `target`, which takes its place when the block ends well; else nothing has changed.

    The old folder is out of its place for the instant between two renames; `recover` brings it back
    after a crash there.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    recover(target)
    work = target.with_name(f".{target.name}.{uuid.uuid4().hex}.new")
    work.mkdir()
    try:
        yield work
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    old = _old_of(target)
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    work.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def recover(target: Path) -> None:
    """After a crash between the two renames: the old folder is the one that counts."""
    old = _old_of(target)
    if old.is_dir() and not target.exists():
        old.rename(target)


def _old_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")
