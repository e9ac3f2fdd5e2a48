"""Replace the data in a data folder by those of a restore, in steps that can be repeated after an interruption.

restoring.partial/   copies are being made; the data are untouched
restoring/           the exchange goes on; nothing starts on the data
    new/             files of the backup that are not in their places yet
    before/          data that were there before
    moved            exists once all of those are in `before`
before-restore-…/    what `before` is called in the end
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from brokerweb.config.backup.manifest import Manifest
from brokerweb.config.backup.snapshot import sync_folder
from brokerweb.config.data_directory import RESTORING, RESTORING_PARTIAL
from brokerweb.config.process.pulse import pulse
from brokerweb.config.process.reset import DASHBOARD, DATABASE_SUFFIXES, our_data, remove_empty_folders

NEW: Final = "new"
_BEFORE: Final = "before"
_MOVED: Final = "moved"


def exchange(data: Path, manifest: Manifest) -> Path | None:
    """Carry out all steps that are left. Returns the folder of the data of before; None where there were none.

    Raises `OSError`; calling it again goes on from there.
    """
    pending = data / RESTORING
    if not (pending / _MOVED).exists():
        for path in _old(data, manifest):
            _move(path, pending / _BEFORE / path.relative_to(data))
        _sync_tree(pending / _BEFORE)
        _sync_parents(data, manifest)
        (pending / _MOVED).touch()
        sync_folder(pending)
    # The dashboard's database last: without it there is no installation.
    for name in sorted(manifest.files, key=lambda name: name == DASHBOARD):
        if (pending / NEW / name).exists():
            _move(pending / NEW / name, data / name)
    _sync_parents(data, manifest)
    # Simulations stood still from the moment of the backup until the next start.
    pulse(data, datetime.fromisoformat(manifest.made_at).timestamp())
    kept: Path | None = None
    if (pending / _BEFORE).exists():
        kept = data / f"before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        (pending / _BEFORE).rename(kept)
        sync_folder(data)
    # Renamed first: a folder that is half removed could not be read by the next attempt.
    pending.rename(data / RESTORING_PARTIAL)
    sync_folder(data)
    shutil.rmtree(data / RESTORING_PARTIAL)
    remove_empty_folders(data)
    return kept


def obstacle(data: Path, manifest: Manifest) -> Path | None:
    """The first path that cannot be exchanged: a link, which may lead to data of others, or another file system."""
    places = {data / name for name in manifest.files}
    folders = {parent for place in places for parent in place.parents if parent.is_relative_to(data) and parent != data}
    here = device(data)
    return next(
        (
            path
            for path in sorted({*places, *folders, *_old(data, manifest)})
            if path.is_symlink() or (path.exists() and device(path) != here)
        ),
        None,
    )


def device(path: Path) -> int:
    """Number of the file system that a path is on."""
    return path.lstat().st_dev


def _old(data: Path, manifest: Manifest) -> list[Path]:
    """Data that are there, and anything else in the place of a restored file or of a log beside a restored database."""
    ours = [path for path in our_data(data) if path.relative_to(data).parts[0] != "log"]
    wanted = {data / name for name in manifest.files}
    databases = {path for path in wanted if path.suffix == ".sqlite3"}
    beside = wanted | {path.with_name(path.name + suffix) for path in databases for suffix in DATABASE_SUFFIXES}
    trees = [path for path in ours if path.is_dir()]
    known = set(ours)
    others = [
        path
        for path in sorted(beside)
        if path.exists() and path not in known and not any(path.is_relative_to(tree) for tree in trees)
    ]
    old = [*others, *ours]
    # The command itself makes a key where there was nothing.
    return [] if old == [data / "secret_key"] else old


def _move(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.rename(target)


def _sync_parents(data: Path, manifest: Manifest) -> None:
    for folder in sorted({parent for name in manifest.files for parent in (data / name).parents}):
        if folder.is_relative_to(data) and folder.is_dir():
            sync_folder(folder)


def _sync_tree(folder: Path) -> None:
    if folder.is_dir():
        for path in [folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())]:
            sync_folder(path)
