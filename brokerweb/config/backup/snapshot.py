"""Take a backup, whether the product runs or not: all stores and the dashboard's database are of one moment.

The lake is copied before, so that it is never ahead of the stores. The dashboard's database is copied while the stores
are held, so that it is never behind them, neither in revisions nor in fencing numbers. Results of analyses are copied
afterwards, so that each one that the database names is there.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from brokerweb.config.backup.manifest import FORMAT, FileEntry, Manifest, StoreEntry, copy_file, write_manifest
from brokerweb.config.backup.refusals import (
    DEVICE_UNUSABLE,
    NOT_COMPLETED,
    WRITE_FAILED,
    BackupRefused,
    reason_of,
    refuse_servers,
)
from brokerweb.config.data_directory import ensure_no_restore
from brokerweb.config.env import Environment
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.config.process.reset import DASHBOARD
from engine import api as engine
from engine.version import VERSION

LAKE: Final = ("pipeline/lake", "pipeline/lake.rejects", "pipeline/uploads")
RESULTS: Final = ("pipeline/runs/*/result",)
KEYS: Final = ("secret_key", f"engine/{engine.held_stores.SERVICE_KEY_FILE}")
ATTEMPTS: Final = 3
LEASES_TABLE: Final = "leases_instancelease"
DATABASE_SECONDS: Final = 30.0
"""How long the dashboard's database may be busy."""

Entries = dict[str, FileEntry]
T = TypeVar("T")


class Moment(NamedTuple):
    """Copies of the stores and of the dashboard's database."""

    entries: Entries
    stores: tuple[StoreEntry, ...]
    at: datetime
    held_seconds: float


def take_backup(environment: Environment, target: Path) -> Manifest:
    """Write a backup into a folder that does not exist yet or is empty.

    Raises `BackupRefused`; nothing is left of the backup then.
    """
    refuse_servers(environment)
    data = environment.data_directory
    ensure_no_restore(data)
    if not (data / DASHBOARD).is_file():
        raise BackupRefused(DEVICE_UNUSABLE, f"There is nothing to back up: {data / DASHBOARD} does not exist.")
    if target.resolve().is_relative_to(data):
        raise BackupRefused(
            DEVICE_UNUSABLE, f"{target} is within the data folder {data}. Name a folder outside, best on another disk."
        )
    with _draft(target) as draft, _start_prevented(data):
        entries = _retried(lambda: _trees(data, draft, LAKE), draft / "pipeline")
        moment = _retried(
            lambda: _moment(data, draft, environment.engine_directory), draft / "engine", draft / DASHBOARD
        )
        entries |= moment.entries
        entries |= _retried(lambda: _trees(data, draft, RESULTS), draft / "pipeline" / "runs")
        for name in KEYS:
            if (data / name).is_file():
                entries[name] = copy_file(data / name, draft / name)
        manifest = Manifest(
            format=FORMAT,
            version=VERSION,
            made_at=moment.at.isoformat(timespec="seconds"),
            deployment=deployment_of(environment) or "",
            has_service_key=KEYS[1] in entries,
            held_seconds=round(moment.held_seconds, 3),
            stores=moment.stores,
            files=dict(sorted(entries.items())),
        )
        write_manifest(draft, manifest)
    return manifest


def deployment_of(environment: Environment) -> str | None:
    """Digest of the service key; None where there is none yet. Raises `BackupRefused` for a key that is unusable."""
    settings = engine.HostingSettings(data_directory=environment.engine_directory, service_key=environment.service_key)
    try:
        return engine.held_stores.deployment_of(settings)
    except engine.EngineUnavailable as error:
        raise BackupRefused(DEVICE_UNUSABLE, f"{error} Without it the stores stay closed.") from error


@contextmanager
def _draft(target: Path) -> Iterator[Path]:
    """A folder beside the target that is renamed to it at the end, or removed after an error."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        if target.is_dir() and not target.is_symlink() and not any(target.iterdir()):
            target.rmdir()
        if os.path.lexists(target):
            raise BackupRefused(
                DEVICE_UNUSABLE,
                f"{target} exists and is not empty. A backup has a folder of its own: name another one.",
            )
        draft.mkdir(parents=True, mode=0o700)
        yield draft
        for folder in [draft, *(path for path in draft.rglob("*") if path.is_dir())]:
            sync_folder(folder)
        draft.rename(target)
        sync_folder(target.parent)
    except OSError as error:
        raise BackupRefused(
            WRITE_FAILED, f"The backup was not written. {reason_of(error, target)} Nothing is left of it."
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _start_prevented(data: Path) -> Iterator[None]:
    """Hold the lock of the data folder where nothing runs on it. A product that runs is held by its instances."""
    with ExitStack() as stack:
        with suppress(AlreadyRunning):
            stack.enter_context(data_directory_lock(data))
        yield


def _retried(take: Callable[[], T], *leftovers: Path) -> T:
    """Copy again what changed during its copy. Raises `BackupRefused` after the last attempt."""
    for attempt in range(ATTEMPTS):
        try:
            return take()
        except (engine.held_stores.StoresChanged, FileNotFoundError, engine.EngineUnavailable) as error:
            for path in leftovers:
                shutil.rmtree(path, ignore_errors=True)
                if path.is_file():
                    path.unlink()
            if attempt == ATTEMPTS - 1:
                raise BackupRefused(
                    NOT_COMPLETED,
                    f"The backup was not completed, because its source changed: {str(error).rstrip('.')}. Nothing is "
                    "left of it. Try again when no instance is being opened, closed or moved.",
                ) from error
    raise AssertionError("the last attempt returns or raises")


def _trees(data: Path, draft: Path, patterns: tuple[str, ...]) -> Entries:
    entries: Entries = {}
    for tree in (tree for pattern in patterns for tree in sorted(data.glob(pattern)) if tree.is_dir()):
        # A table's log first: the files that it names exist by then, and files that are added are of a later moment.
        paths = sorted(tree.rglob("*"), key=lambda path: ("_delta_log" not in path.parts, path))
        for path in paths:
            if path.is_file() and not path.is_symlink() and not path.name.endswith(".part"):
                name = path.relative_to(data).as_posix()
                entries[name] = copy_file(path, draft / name)
    return entries


def _moment(data: Path, draft: Path, engine_directory: Path) -> Moment:
    """Copy the stores and the dashboard's database while no instance takes a turn."""
    entries: Entries = {}
    began = time.monotonic()
    with engine.held_stores.held_stores(engine_directory) as stores:
        at = datetime.now(UTC)
        for path in (path for store in stores for path in store.files):
            name = path.relative_to(data).as_posix()
            entries[name] = copy_file(path, draft / name)
        _copy_database(data / DASHBOARD, draft / DASHBOARD)
    seconds = time.monotonic() - began
    entries[DASHBOARD] = _rewritten(draft / DASHBOARD)
    held = tuple(StoreEntry(estate=each.key[0], instance=each.key[1], fence=each.fence) for each in stores)
    return Moment(entries, held, at, seconds)


def _copy_database(source: Path, target: Path) -> None:
    """Copy the snapshot of one read transaction; writers go on meanwhile. Raises `OSError` where it has no room."""
    try:
        with closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True, timeout=DATABASE_SECONDS)) as database:
            database.execute("VACUUM INTO ?", (str(target),))
        with closing(sqlite3.connect(target)) as copy:
            [[found]] = copy.execute("PRAGMA quick_check(1)").fetchall()
            is_ours = copy.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (LEASES_TABLE,)).fetchone()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target)) from error
        raise BackupRefused(
            WRITE_FAILED, f"The backup was not written. {source.name}: {error}. Nothing is left of it."
        ) from error
    if found != "ok":
        raise BackupRefused(WRITE_FAILED, f"The backup was not written: {source.name} is damaged: {found}.")
    if not is_ours:
        raise BackupRefused(
            DEVICE_UNUSABLE,
            f"There is nothing to back up: {source.name} is empty, or is not brokerweb's. Start it once.",
        )


def _rewritten(path: Path) -> FileEntry:
    """Copy a file in its place, durably and with its hash."""
    draft = path.with_name(f"{path.name}.copy")
    path.rename(draft)
    entry = copy_file(draft, path)
    draft.unlink()
    return entry


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable. Raises `OSError`."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
