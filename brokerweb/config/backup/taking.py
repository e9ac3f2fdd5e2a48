"""Take a backup, while the product runs or not: stores of all instances and the dashboard's database are of one moment.

Lake and results come first, so that the lake is never ahead of the stores; the dashboard's database comes while the
stores rest, so that it is never behind them, neither in revisions nor in fencing numbers.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

from brokerweb.common.full_disk import full_disk
from brokerweb.config.backup.manifest import (
    FORMAT,
    FileEntry,
    Manifest,
    StoreEntry,
    copy_file,
    write_manifest,
)
from brokerweb.config.backup.refusals import (
    DEVICE_UNUSABLE,
    NOT_COMPLETED,
    WRITE_FAILED,
    BackupRefused,
    refuse_servers,
)
from brokerweb.config.env import Environment
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.config.process.reset import DASHBOARD
from engine import api as engine
from engine.version import VERSION

TREES: Final = ("pipeline/lake", "pipeline/lake.rejects", "pipeline/uploads", "pipeline/runs/*/result")
KEYS: Final = ("secret_key", f"engine/{engine.backing_up.SERVICE_KEY_FILE}")
ATTEMPTS: Final = 3
DATABASE_SECONDS: Final = 30.0
"""How long the dashboard's database may be busy."""

Entries = dict[str, FileEntry]
T = TypeVar("T")


def take_backup(environment: Environment, target: Path, told: Callable[[str], object] = str) -> Manifest:
    """Write a backup into a folder that is not there yet, or is empty; `told` hears what is being done.

    Raises `BackupRefused`; then nothing is left of it.
    """
    refuse_servers(environment)
    data = environment.data_directory
    if not (data / DASHBOARD).is_file():
        raise BackupRefused(DEVICE_UNUSABLE, f"There is nothing to back up: {data / DASHBOARD} is not there.")
    with _draft(target) as draft, _undisturbed(data):
        told("lake and results")
        entries = _retried(lambda: _trees(data, draft), draft / "pipeline")
        told("stores and database")
        resting, stores, seconds = _retried(
            lambda: _moment(data, draft, environment.engine_directory), draft / "engine", draft / DASHBOARD
        )
        entries |= resting
        for name in KEYS:
            if (data / name).is_file():
                entries[name] = copy_file(data / name, draft / name)
        manifest = Manifest(
            format=FORMAT,
            version=VERSION,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            deployment=deployment_of(environment) or "",
            has_service_key=KEYS[1] in entries,
            held_seconds=round(seconds, 3),
            stores=stores,
            files=dict(sorted(entries.items())),
        )
        write_manifest(draft, manifest)
    return manifest


def deployment_of(environment: Environment) -> str | None:
    """Whose data are in the folder; None where nothing was kept in it yet. `BackupRefused` without a usable key."""
    settings = engine.HostingSettings(data_directory=environment.engine_directory, service_key=environment.service_key)
    try:
        return engine.backing_up.deployment_of(settings)
    except engine.EngineUnavailable as error:
        raise BackupRefused(DEVICE_UNUSABLE, f"{error} Without it the stores stay closed.") from error


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A folder beside the target that becomes it when all went well, and is gone when not."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        if target.is_dir() and not any(target.iterdir()):
            target.rmdir()
        if os.path.lexists(target):
            raise BackupRefused(
                DEVICE_UNUSABLE, f"{target} is there already. A backup goes into a folder of its own: name another one."
            )
        draft.mkdir(parents=True, mode=0o700)
        yield draft
        draft.rename(target)
        _sync(target.parent)
    except OSError as error:
        full = full_disk(error)
        reason = full.detail if full is not None else f"{error.filename or target}: {error.strerror or error}."
        raise BackupRefused(WRITE_FAILED, f"The backup was not written. {reason} Nothing is left of it.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _undisturbed(data: Path) -> Iterator[None]:
    """Nobody starts on the data meanwhile; whoever runs already is asked to hold still instead."""
    with ExitStack() as stack:
        with suppress(AlreadyRunning):
            stack.enter_context(data_directory_lock(data))
        yield


def _retried(take: Callable[[], T], *leftovers: Path) -> T:
    """What changes while it is copied is copied again; `BackupRefused` when it never rests."""
    for attempt in range(ATTEMPTS):
        try:
            return take()
        except (engine.backing_up.StoresChanged, FileNotFoundError, engine.EngineUnavailable) as error:
            for path in leftovers:
                shutil.rmtree(path, ignore_errors=True)
                path.unlink(missing_ok=True)
            if attempt == ATTEMPTS - 1:
                raise BackupRefused(
                    NOT_COMPLETED,
                    f"The backup was not completed, since what it copies would not rest: {str(error).rstrip('.')}. "
                    "Nothing is left of it. Try again when no instance is being opened, closed or moved.",
                ) from error
    raise AssertionError("the last attempt returns or raises")


def _trees(data: Path, draft: Path) -> Entries:
    entries: Entries = {}
    for tree in (tree for pattern in TREES for tree in sorted(data.glob(pattern)) if tree.is_dir()):
        # A table's log first: what it names is there already, and what comes after it is of a later moment.
        paths = sorted(tree.rglob("*"), key=lambda path: ("_delta_log" not in path.parts, path))
        for path in paths:
            if path.is_file() and not path.name.endswith(".part"):
                name = path.relative_to(data).as_posix()
                entries[name] = copy_file(path, draft / name)
    return entries


def _moment(data: Path, draft: Path, engine_directory: Path) -> tuple[Entries, tuple[StoreEntry, ...], float]:
    """The stores and the dashboard's database, and for how long the instances were held for them."""
    entries: Entries = {}
    began = time.monotonic()
    with engine.backing_up.held_stores(engine_directory) as stores:
        for path in (path for store in stores for path in store.files):
            name = path.relative_to(data).as_posix()
            entries[name] = copy_file(path, draft / name)
        _copy_database(data / DASHBOARD, draft / DASHBOARD)
    seconds = time.monotonic() - began
    copied = draft / DASHBOARD
    entries[DASHBOARD] = _entry_of(copied)
    return (
        entries,
        tuple(StoreEntry(estate=each.key[0], instance=each.key[1], fence=each.fence) for each in stores),
        seconds,
    )


def _copy_database(source: Path, target: Path) -> None:
    """As one read sees it, and whole: whoever writes meanwhile goes on."""
    try:
        with closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True, timeout=DATABASE_SECONDS)) as database:
            database.execute("VACUUM INTO ?", (str(target),))
        with closing(sqlite3.connect(target)) as copy:
            [[said]] = copy.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.Error as error:
        full = full_disk(error)
        reason = f"{source.name}: {error}." if full is None else full.detail
        raise BackupRefused(WRITE_FAILED, f"The backup was not written. {reason} Nothing is left of it.") from error
    if said != "ok":
        raise BackupRefused(WRITE_FAILED, f"The backup was not written: {source.name} is damaged: {said}.")


def _entry_of(path: Path) -> FileEntry:
    """Of a file that is in its place already."""
    draft = path.with_name(f"{path.name}.copy")
    path.rename(draft)
    entry = copy_file(draft, path)
    draft.unlink()
    return entry


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
