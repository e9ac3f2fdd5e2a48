"""`Manifest`: the files of a backup with their hashes, and the fencing numbers of its stores."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

import msgspec

from brokerweb.config.backup.refusals import DAMAGED, DEVICE_UNUSABLE, NEWER, NO_BACKUP, BackupRefused
from brokerweb.config.process.reset import DASHBOARD

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DIGEST: Final = "manifest.sha256"
"""Hash of the manifest. It is written last, so a folder with it is complete."""
FENCE_MAX: Final = 2**53
_PIECE: Final = 1 << 20
_MANIFEST_BYTES_MAX: Final = 1 << 28
_PLACES: Final = (
    DASHBOARD,
    "secret_key",
    "engine/service-master-key",
    *(f"engine/*/*.sqlite3{suffix}" for suffix in ("", "-wal", "-journal", "-log", "-name")),
)
_TREES: Final = (("pipeline", "lake"), ("pipeline", "lake.rejects"), ("pipeline", "uploads"), ("pipeline", "runs"))


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One file."""

    bytes: int
    sha256: str


class StoreEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One instance."""

    estate: str
    instance: str
    fence: Annotated[int, msgspec.Meta(ge=0, le=FENCE_MAX)]
    """Fencing number of the store's last owner; 0 where file locks decide."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a backup."""

    format: int
    version: str
    """Version of the product that took it."""
    made_at: str
    """ISO 8601, UTC."""
    deployment: str
    """Digest of the service key of the stores."""
    has_service_key: bool
    """Whether the key is in the backup; otherwise it was given as a setting."""
    held_seconds: float
    """How long the instances were held."""
    stores: tuple[StoreEntry, ...]
    files: dict[str, FileEntry]
    """By path within the data folder, separated by `/`."""

    @property
    def bytes(self) -> int:
        """Size of all files together."""
        return sum(each.bytes for each in self.files.values())


class _Header(msgspec.Struct):
    """The part that all formats have."""

    format: int
    version: str = ""


def copy_file(source: Path, target: Path) -> FileEntry:
    """Copy a regular file durably to a new place. Raises `OSError`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    try:
        with open(source, "rb", opener=_open_regular) as read, target.open("xb") as written:
            while piece := read.read(_PIECE):
                digest.update(piece)
                size += len(piece)
                written.write(piece)
            written.flush()
            os.fsync(written.fileno())
    except OSError as error:
        # Of a failed write the system does not say which file it was.
        error.filename = error.filename or str(target)
        raise
    return FileEntry(bytes=size, sha256=digest.hexdigest())


def _open_regular(path: str, flags: int) -> int:
    """Refuses links; does not wait for a pipe."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsADirectoryError(0, "it is no regular file", path)
    return descriptor


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest and its hash. Raises `OSError`."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    for name, content in ((MANIFEST, text), (DIGEST, f"{hashlib.sha256(text).hexdigest()}\n".encode())):
        with (folder / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a backup. Raises `BackupRefused` for one that is incomplete, damaged, newer or no backup."""
    try:
        text, digest = (_content(folder / name) for name in (MANIFEST, DIGEST))
        header = msgspec.json.decode(text, type=_Header)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BackupRefused(
            NO_BACKUP, f"{folder} is no complete backup of brokerweb: {Path(str(error.filename)).name} is missing."
        ) from error
    except OSError as error:
        raise BackupRefused(DEVICE_UNUSABLE, f"{error.filename or folder} cannot be read: {error.strerror}.") from error
    except msgspec.MsgspecError as error:
        raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: {MANIFEST} cannot be read.") from error
    if header.format > FORMAT:
        raise newer(folder, header.version)
    if hashlib.sha256(text).hexdigest().encode() != digest.strip():
        raise damaged(folder, MANIFEST, "is not as it was written")
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: {error}.") from error
    for name in manifest.files:
        if not _is_place(name):
            raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: it names the file {name!r}.")
    if not _is_instant(manifest.made_at):
        raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: {manifest.made_at!r} is no time.")
    if DASHBOARD not in manifest.files:
        raise BackupRefused(NO_BACKUP, f"{folder} is no complete backup of brokerweb: it does not name {DASHBOARD}.")
    return manifest


def _content(path: Path) -> bytes:
    with open(path, "rb", opener=_open_regular) as file:
        return file.read(_MANIFEST_BYTES_MAX)


def _is_instant(text: str) -> bool:
    """Whether it is a time with its zone, and not one to come; clocks of two machines differ by less than a day."""
    try:
        made_at = datetime.fromisoformat(text)
        return made_at <= datetime.now(UTC) + timedelta(days=1)
    except (ValueError, TypeError):
        return False


def _is_place(name: str) -> bool:
    """Whether a backup may have a file of this name: one spelling for each place, within our parts of the folder."""
    path = PurePosixPath(name)
    if str(path) != name or path.is_absolute() or ".." in path.parts or "\0" in name:
        return False
    is_in_tree = len(path.parts) > 2 and path.parts[:2] in _TREES
    return is_in_tree or any(len(path.parts) == each.count("/") + 1 and path.match(each) for each in _PLACES)


def copy_back(folder: Path, manifest: Manifest, target: Path, report: Callable[[str], object]) -> None:
    """Copy and verify every file of a backup. Raises `BackupRefused` at the first that is missing or has changed."""
    inside = folder.resolve()
    for name, entry in manifest.files.items():
        report(name)
        try:
            # A folder of the backup that is a link could lead to any file of the machine.
            if (folder / name).parent.resolve() != (inside / name).parent:
                raise damaged(folder, name, "is reached by a link")
            found = copy_file(folder / name, target / name)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise damaged(folder, name, "is not there, or is no regular file") from error
        except OSError as error:
            if error.filename == str(folder / name):
                raise damaged(folder, name, f"cannot be read: {error.strerror}") from error
            raise
        if found != entry:
            raise damaged(folder, name, "is not as it was taken")


def damaged(folder: Path, name: str, what: str) -> BackupRefused:
    """The refusal of a backup of which a file has changed."""
    return BackupRefused(
        DAMAGED,
        f"The backup in {folder} is damaged: {name} {what}. Nothing was restored. Check the disk, and use another copy "
        "of this backup, or another backup.",
    )


def newer(folder: Path, version: str) -> BackupRefused:
    """The refusal of a backup that a later version of the product has taken."""
    return BackupRefused(
        NEWER,
        f"The backup in {folder} was taken by a later version of brokerweb ({version[:40] or 'unknown'}) and cannot be "
        "read by this one. Nothing was restored. Install that version, or a later one.",
    )
