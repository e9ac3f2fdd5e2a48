"""Put a backup back: checked as a whole before anything is touched, and what was there is kept beside it.

Everything goes back to the moment of the backup at once, so that between its instances nothing is lost or doubled.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from brokerweb.common.full_disk import full_disk
from brokerweb.config.backup.manifest import Manifest, copy_back, read_manifest
from brokerweb.config.backup.refusals import (
    DEVICE_UNUSABLE,
    IN_RESTORE,
    IN_USE,
    OTHER_DEPLOYMENT,
    WRITE_FAILED,
    BackupRefused,
    refuse_servers,
)
from brokerweb.config.backup.taking import deployment_of
from brokerweb.config.env import ConfigurationError, Environment
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.config.process.reset import DASHBOARD, database_in_use, our_data, remove_empty_folders

STAGING: Final = "restoring"
"""In the data folder, as long as a restore is under way."""
_LEASES: Final = "leases_instancelease"
_SESSIONS: Final = "django_session"
_READ_FENCES: Final = f"SELECT estate_name, instance_name, fence FROM {_LEASES}"  # noqa: S608


class Restored(NamedTuple):
    """What was put back, and where what was there before is now; None where nothing was."""

    manifest: Manifest
    kept: Path | None


def restore_backup(environment: Environment, source: Path, told: Callable[[str], object] = str) -> Restored:
    """Put a backup back into the data folder; `told` hears of each file.

    Raises `BackupRefused`; then nothing was changed, unless it says so.
    """
    refuse_servers(environment)
    manifest = read_manifest(source)
    data = environment.data_directory
    _ensure_same_deployment(environment, manifest, source)
    try:
        with data_directory_lock(data):
            if (path := database_in_use(data)) is not None:
                raise _in_use(f"Another process has {path} open.")
            staging = data / STAGING
            shutil.rmtree(staging, ignore_errors=True)
            try:
                staging.mkdir(parents=True, mode=0o700)
                copy_back(source, manifest, staging, told)
                _make_ready(staging / DASHBOARD, _fences(data / DASHBOARD), manifest)
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                raise
            return Restored(manifest, _exchange(data, staging, manifest))
    except AlreadyRunning as refusal:
        raise _in_use(str(refusal)) from refusal
    except OSError as error:
        full = full_disk(error)
        reason = full.detail if full is not None else f"{error.filename or source}: {error.strerror or error}."
        raise BackupRefused(
            WRITE_FAILED, f"The restore has ended early. {reason} Mend that, then run it again."
        ) from error


def ensure_no_restore(directory: Path) -> None:
    """For everybody who begins to work on a data folder; `ConfigurationError` when a restore of it was interrupted."""
    if (directory / STAGING).exists():
        raise ConfigurationError(
            f"The data folder {directory} is in the middle of a restore, which was interrupted or goes on. Run "
            "`manage.py restore DIR` again; what was there before is in the folders before-restore-* in it.",
            IN_RESTORE,
        )


def _in_use(reason: str) -> BackupRefused:
    return BackupRefused(
        IN_USE, f"{reason} Nothing was restored. Stop the product, workers and beat too, then try again."
    )


def _ensure_same_deployment(environment: Environment, manifest: Manifest, source: Path) -> None:
    """Stores under another service key would stay closed, and data of another installation would be covered."""
    here = deployment_of(environment)
    if here is not None and here != manifest.deployment:
        raise BackupRefused(
            OTHER_DEPLOYMENT,
            f"The backup in {source} is of another installation than the data in {environment.data_directory}: it was "
            "taken under another service key. Nothing was restored. Name an empty folder in BROKERWEB_DATA, or give "
            "the SERVICE_KEY of the backup.",
        )
    if here is None and not manifest.has_service_key:
        raise BackupRefused(
            OTHER_DEPLOYMENT,
            f"The backup in {source} has no service key, since it was given as a setting. Nothing was restored. Give "
            "SERVICE_KEY as it was when the backup was taken.",
        )


def _fences(dashboard: Path) -> dict[tuple[str, str], int]:
    """The numbers that owners have had since; an owner that still lives somewhere must find a higher one."""
    if not dashboard.is_file():
        return {}
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{dashboard.as_uri()}?mode=ro", uri=True)) as database:
        return {(estate, instance): fence for estate, instance, fence in database.execute(_READ_FENCES)}
    return {}


def _make_ready(dashboard: Path, since: dict[tuple[str, str], int], manifest: Manifest) -> None:
    """No owner of then or since may commit any more, and no session of then goes on."""
    numbers = {(each.estate, each.instance): each.fence for each in manifest.stores}
    try:
        with closing(sqlite3.connect(dashboard)) as database, database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if _SESSIONS in tables:
                database.execute(f"DELETE FROM {_SESSIONS}")  # noqa: S608
            if _LEASES in tables:
                rows = database.execute(_READ_FENCES).fetchall()
                database.executemany(
                    f"UPDATE {_LEASES} SET fence = ?, holder = '', expires_at = NULL, figures = NULL"  # noqa: S608
                    " WHERE estate_name = ? AND instance_name = ?",
                    [
                        (max(fence, since.get((estate, name), 0), numbers.get((estate, name), 0)) + 1, estate, name)
                        for estate, name, fence in rows
                    ],
                )
    except sqlite3.Error as error:
        raise BackupRefused(
            DEVICE_UNUSABLE, f"{DASHBOARD} of the backup cannot be opened: {error}. Nothing was restored."
        ) from error


def _exchange(data: Path, staging: Path, manifest: Manifest) -> Path | None:
    """Move what is there aside, and what was staged into its place; once interrupted, another restore begins again."""
    kept: Path | None = None
    old = [path for path in our_data(data) if path.relative_to(data).parts[0] != "log"]
    # This command itself has made a key where there was nothing.
    if any(path != data / "secret_key" for path in old):
        kept = data / f"before-restore-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
        for path in old:
            _move(path, kept / path.relative_to(data))
    # The dashboard's database last: without it there is no installation.
    for name in sorted(manifest.files, key=lambda name: name == DASHBOARD):
        _move(staging / name, data / name)
    for folder in {(data / name).parent for name in manifest.files}:
        _sync(folder)
    shutil.rmtree(staging)
    remove_empty_folders(data)
    return kept


def _move(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.rename(target)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
