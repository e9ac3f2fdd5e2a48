"""Restore a backup: verified as a whole before the data are touched, and the data of before are kept beside it.

All parts return to the moment of the backup together, so nothing is lost or doubled between their instances.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

from brokerweb.config.backup.exchange import NEW, exchange, obstacle
from brokerweb.config.backup.manifest import Manifest, copy_back, newer, read_manifest, write_manifest
from brokerweb.config.backup.refusals import (
    DEVICE_UNUSABLE,
    IN_USE,
    OTHER_DEPLOYMENT,
    WRITE_FAILED,
    BackupRefused,
    reason_of,
    refuse_servers,
)
from brokerweb.config.backup.snapshot import LEASES_TABLE, deployment_of, sync_folder
from brokerweb.config.data_directory import RESTORING, RESTORING_PARTIAL
from brokerweb.config.env import Environment
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.config.process.migrations import unknown_migrations
from brokerweb.config.process.reset import DASHBOARD, database_in_use

_ENDED: Final = ("django_session", "accounts_loginlink")
"""Tables that are emptied: a session that was ended since, and a link that was used since, would be valid again."""
_READ_FENCES: Final = f"SELECT estate_name, instance_name, fence FROM {LEASES_TABLE}"  # noqa: S608


class Restored(NamedTuple):
    """A finished restore."""

    manifest: Manifest
    kept: Path | None
    """Folder of the data of before; None where there were none."""


def restore_backup(environment: Environment, source: Path, report: Callable[[str], object] = str) -> Restored:
    """Restore a backup into the data folder. `report` receives each file name.

    A restore that was interrupted is finished first. Raises `BackupRefused`; nothing was changed then, unless the text
    says that the restore is not finished.
    """
    refuse_servers(environment)
    data = environment.data_directory
    try:
        with data_directory_lock(data):
            _ensure_unused(data)
            finished = _finish_interrupted(data)
            manifest = read_manifest(source)
            if finished is not None and finished.manifest == manifest:
                return finished
            _ensure_same_deployment(environment, manifest, source)
            if (path := obstacle(data, manifest)) is not None:
                raise BackupRefused(
                    DEVICE_UNUSABLE,
                    f"{path} is a link or on another file system, and a restore exchanges files within one. Nothing "
                    "was restored. Put its content into the data folder itself, or name an empty folder in "
                    "BROKERWEB_DATA.",
                )
            _stage(data, source, manifest, report)
            return Restored(manifest, _exchange(data, manifest))
    except AlreadyRunning as refusal:
        raise _in_use(str(refusal)) from refusal


def _stage(data: Path, source: Path, manifest: Manifest, report: Callable[[str], object]) -> None:
    """Copy and verify the whole backup within the data folder. Raises `BackupRefused`; nothing is left then."""
    partial = data / RESTORING_PARTIAL
    shutil.rmtree(partial, ignore_errors=True)
    try:
        (partial / NEW).mkdir(parents=True, mode=0o700)
        copy_back(source, manifest, partial / NEW, report)
        _prepare_database(partial / NEW / DASHBOARD, _fences(data / DASHBOARD), manifest, source)
        write_manifest(partial, manifest)
        for folder in [partial, *(path for path in partial.rglob("*") if path.is_dir())]:
            sync_folder(folder)
        # Copies take time in which a worker may have been started.
        _ensure_unused(data)
        partial.rename(data / RESTORING)
        sync_folder(data)
    except OSError as error:
        raise BackupRefused(
            WRITE_FAILED, f"The backup was not restored. {reason_of(error, partial)} Nothing was changed."
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _exchange(data: Path, manifest: Manifest) -> Path | None:
    try:
        return exchange(data, manifest)
    except OSError as error:
        raise BackupRefused(
            WRITE_FAILED,
            f"The restore is not finished. {reason_of(error, data)} Correct that, then run the same command again: it "
            "goes on from there.",
        ) from error


def _finish_interrupted(data: Path) -> Restored | None:
    pending = data / RESTORING
    if not pending.exists():
        return None
    manifest = read_manifest(pending)
    return Restored(manifest, _exchange(data, manifest))


def _ensure_unused(data: Path) -> None:
    """Workers do not hold the lock of the folder, but open its databases."""
    if (path := database_in_use(data)) is not None:
        raise _in_use(f"Another process has {path} open.")


def _in_use(reason: str) -> BackupRefused:
    return BackupRefused(
        IN_USE, f"{reason} Nothing was restored. Stop the product, with workers and beat, then try again."
    )


def _ensure_same_deployment(environment: Environment, manifest: Manifest, source: Path) -> None:
    """Stores under another service key would stay closed, and the data of another installation would be replaced."""
    here = deployment_of(environment)
    if here is not None and manifest.deployment not in ("", here):
        raise BackupRefused(
            OTHER_DEPLOYMENT,
            f"The backup in {source} is of another installation than {environment.data_directory}: it was taken under "
            "another service key. Nothing was restored. Name an empty folder in BROKERWEB_DATA, or give the "
            "SERVICE_KEY of the backup.",
        )
    if here is None and not manifest.has_service_key and manifest.deployment:
        raise BackupRefused(
            OTHER_DEPLOYMENT,
            f"The backup in {source} has no service key, because it was given as a setting. Nothing was restored. Give "
            "SERVICE_KEY as it was when the backup was taken.",
        )


def _fences(dashboard: Path) -> dict[tuple[str, str], int]:
    """Fencing numbers that were given since the backup. An owner that still runs elsewhere must meet a higher one."""
    if dashboard.is_file():
        with suppress(sqlite3.Error), closing(sqlite3.connect(f"{dashboard.as_uri()}?mode=ro", uri=True)) as database:
            return {(estate, instance): fence for estate, instance, fence in database.execute(_READ_FENCES)}
    return {}


def _prepare_database(dashboard: Path, since: dict[tuple[str, str], int], manifest: Manifest, source: Path) -> None:
    """End sessions and login links, and raise fencing numbers above all earlier ones. Raises `BackupRefused`."""
    numbers = {(each.estate, each.instance): each.fence for each in manifest.stores}
    try:
        with closing(sqlite3.connect(dashboard)) as database, database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if LEASES_TABLE not in tables:
                raise _not_ours("it has no table of leases")
            if unknown_migrations(_applied(database)):
                raise newer(source, manifest.version)
            for table in _ENDED:
                database.execute(f"DELETE FROM {table}")  # noqa: S608
            rows = database.execute(_READ_FENCES).fetchall()
            database.executemany(
                f"UPDATE {LEASES_TABLE} SET fence = ?, holder = '', expires_at = NULL, figures = NULL"  # noqa: S608
                " WHERE estate_name = ? AND instance_name = ?",
                [
                    (max(fence, since.get((estate, name), 0), numbers.get((estate, name), 0)) + 1, estate, name)
                    for estate, name, fence in rows
                ],
            )
    except sqlite3.Error as error:
        raise _not_ours(str(error)) from error


def _applied(database: sqlite3.Connection) -> Iterable[tuple[str, str]]:
    return database.execute("SELECT app, name FROM django_migrations").fetchall()


def _not_ours(reason: str) -> BackupRefused:
    return BackupRefused(DEVICE_UNUSABLE, f"{DASHBOARD} of the backup cannot be used: {reason}. Nothing was restored.")
