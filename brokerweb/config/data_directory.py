"""The data folder and the files of brokerweb in it, closed to other users of the machine.

Sessions, hashes of passwords, keys and bodies of messages are in it: folders have mode 0700, files 0600.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from brokerweb.config.env import CANNOT_OPEN, IN_RESTORE, ConfigurationError, unusable, weakness

RESTORING: Final = "restoring"
"""Part of the data folder while a restore replaces the data (`config.backup.exchange`)."""
RESTORING_PARTIAL: Final = f"{RESTORING}.partial"
UMASK: Final = 0o077
_OF_OTHERS: Final = 0o077
FOLDERS: Final = ("engine", "log", "pipeline", "spark")
"""Everything in these is brokerweb's. Beside them in the data folder may lie files of a person."""
FILES: Final = ("brokerweb.sqlite3*", "secret_key", "run.lock", "last-alive", "beat-schedule*")


def make_data_directory(directory: Path, say: Callable[[str], object] = sys.stderr.write) -> None:
    """Make the data folder with its parts and close them to other users, from now on and what is there already.

    This process makes no more files that others may read. `say` gets one line when the folder was open, or when it
    cannot be closed. Raises `ConfigurationError` where nothing can be kept.
    """
    os.umask(UMASK)
    for path in (directory, directory / "engine", directory / "log"):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = "it is no folder" if os.path.lexists(path) else error.strerror or str(error)
            raise unusable(path, reason) from error
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            raise unusable(path, "this user may not write into it")
    for line in _closed(directory):
        say(f"{line}\n")


def ensure_no_restore(directory: Path) -> None:
    """Raise `ConfigurationError` where a restore has replaced a part of the data only, because it was interrupted."""
    if (directory / RESTORING).exists():
        raise ConfigurationError(
            f"The data in {directory} are in the middle of a restore, which goes on or was interrupted. Run "
            "`manage.py restore DIR` again: it finishes it.",
            IN_RESTORE,
        )


def generated_secret_key(data_directory: Path) -> str:
    """The key of this data directory, made on first use and readable by its owner only.

    Sessions therefore survive a restart, and no key is ever part of the source.
    """
    path = data_directory / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _kept_secret_key(path)
    except OSError as error:
        raise unusable(path, error.strerror or str(error)) from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(48)
        file.write(key)
    return key


def _kept_secret_key(path: Path) -> str:
    try:
        key = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The key in {path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}. "
            "Without it nobody stays logged in. Make it readable, or remove it: the next start makes a new one.",
            CANNOT_OPEN,
        ) from error
    if (why := weakness(key)) is not None:
        raise ConfigurationError(
            f"The key in {path} is none that this program has made: {why}. "
            "Put it back from a copy, or remove it: the next start makes a new one, and people log in again.",
            CANNOT_OPEN,
        )
    return key


def _closed(directory: Path) -> Iterator[str]:
    """Close the folder, then what is in it; sentences about what was open and what stays open."""
    mode = stat.S_IMODE(directory.stat().st_mode)
    is_closed_now = not _is_shared(directory) and _close(directory)
    parts = [path for name in FOLDERS if (path := directory / name).is_dir()]
    files = [path for pattern in FILES for path in directory.glob(pattern) if not path.is_symlink()]
    count = sum(map(_close, files)) + sum(_close_tree(path) for path in parts if not path.is_symlink())
    if is_closed_now or count:
        yield (
            f"The data folder {directory} was open to other users of this machine ({mode:04o}). The folder and "
            f"{count} files and folders of brokerweb in it are for this user only now (0700, 0600)."
        )
    # The folder of another user, one shared by intention (/tmp), and the target of a link are not ours to close.
    for path in [directory, *filter(Path.is_symlink, parts)]:
        if (mode := stat.S_IMODE(path.stat().st_mode)) & _OF_OTHERS:
            yield (
                f"{CANNOT_OPEN}: The folder {path.resolve()} is open to other users of this machine ({mode:04o}) and "
                "is shared, a link, or of another user, so it stays open. Files that brokerweb makes in it are for "
                "this user only. Make it private (chmod 700), or name a folder of this user in BROKERWEB_DATA."
            )


def _is_shared(directory: Path) -> bool:
    return bool(directory.stat().st_mode & stat.S_ISVTX)


def _close_tree(folder: Path) -> int:
    """How many files and folders had to be closed.

    What is in a folder that is closed is not looked at: nobody else reaches it. So a folder is closed after what is in
    it, that an interrupted start is made good by the next.
    """
    if not folder.stat().st_mode & _OF_OTHERS:
        return 0
    count = 0
    for path in folder.iterdir():
        if path.is_symlink():
            continue
        count += _close_tree(path) if path.is_dir() else _close(path)
    return count + _close(folder)


def _close(path: Path) -> bool:
    """Whether it had to be. A file of another user stays as it is, one that has gone meanwhile was temporary."""
    try:
        status = path.stat()
        if not status.st_mode & _OF_OTHERS or status.st_uid != os.geteuid():
            return False
        path.chmod(stat.S_IMODE(status.st_mode) & ~_OF_OTHERS)
    except FileNotFoundError:
        return False
    return True
