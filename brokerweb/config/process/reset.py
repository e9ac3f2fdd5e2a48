"""A fresh start: everything that brokerweb made in a data directory, and nothing else, is removed.

A person may have named a folder that holds more than our data, so each file is known by its own name, and a folder
without our database is left alone.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from brokerweb.config.data_directory import RESTORING_PARTIAL, ensure_no_restore
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock

DATABASE_SUFFIXES = ("-wal", "-shm", "-journal", "", "-log", "-name")
"""Files beside a SQLite database. The log of a store is deleted after its file, which would be refused without it."""
DASHBOARD = "brokerweb.sqlite3"
OUR_STORES = ("engine/directory.sqlite3", "engine/*/*.sqlite3", DASHBOARD)
"""The dashboard's database last: as long as it is there, a reset that was interrupted can be repeated."""
_ID = "-".join("[0-9a-f]" * digits for digits in (8, 4, 4, 4, 12))
OUR_OTHER_FILES = (
    "log/brokerweb.log",
    "log/brokerweb.log.[0-9]",
    "secret_key",
    "engine/service-master-key",
    "engine/*/*.session",
    "engine/tsql-grammar.json",
    "spark/engine.zip",
    f"pipeline/uploads/{_ID}",
    f"pipeline/uploads/{_ID}.part",
)
OUR_TREES = (
    "pipeline/lake",
    "pipeline/lake.rejects",
    f"pipeline/runs/{_ID}",
    "pipeline/reading",
    "pipeline/interned",
    "spark/java",
    "spark/spill",
    "spark/warehouse",
    RESTORING_PARTIAL,
)
"""Folders with everything in them. The lake goes with the stores: events of new ones have the old numbers again."""
OUR_FOLDERS = ("engine/*", "engine", "log", "pipeline/runs", "pipeline/uploads", "pipeline", "spark")


def reset_data(directory: Path) -> bool:
    """Remove our files, and the folders that are empty then; whether there was anything.

    Raises `AlreadyRunning` when a process works on the data: then nothing is removed.
    """
    with data_directory_lock(directory):
        ensure_no_restore(directory)
        if not (directory / DASHBOARD).is_file():
            return False
        if (path := database_in_use(directory)) is not None:
            raise AlreadyRunning(
                f"Another process has {path} open, so nothing was removed. "
                "Stop the workers on these data first, then try again."
            )
        for path in our_data(directory):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        remove_empty_folders(directory)
        return True


def database_in_use(directory: Path) -> Path | None:
    """The first of our databases that another process has open; None where none is."""
    return next((path for path in _databases(directory) if _is_in_use(path)), None)


def our_data(directory: Path) -> list[Path]:
    """Our files that exist: whole trees first, databases last, each with its log after it."""
    trees = [tree for pattern in OUR_TREES for tree in directory.glob(pattern)]
    files = [path for pattern in OUR_OTHER_FILES for path in _files(directory, pattern)]
    databases = [path.with_name(path.name + suffix) for path in _databases(directory) for suffix in DATABASE_SUFFIXES]
    # A link is no folder of ours.
    return [tree for tree in trees if tree.is_dir() and not tree.is_symlink()] + [
        path for path in (*files, *databases) if path.exists()
    ]


def remove_empty_folders(directory: Path) -> None:
    """Remove our folders that are empty; one with a foreign file stays, and so does a link."""
    for folder in (folder for pattern in OUR_FOLDERS for folder in directory.glob(pattern)):
        with suppress(OSError):
            folder.rmdir()


def _databases(directory: Path) -> list[Path]:
    return [path for pattern in OUR_STORES for path in _files(directory, pattern)]


def _files(directory: Path, pattern: str) -> Iterator[Path]:
    return (path for path in sorted(directory.glob(pattern)) if path.is_file())


def _is_in_use(path: Path) -> bool:
    """Whether a worker of the engine, or anybody who writes, has the database now."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, timeout=0)) as connection:
            # Under a lease a store is open without being locked; in this mode the lock is refused then too.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            return False
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    except sqlite3.DatabaseError:
        return False
