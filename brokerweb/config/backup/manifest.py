"""`Manifest`: what is in a backup, by file, with hashes and fencing numbers; read, it says whether the backup is whole."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from brokerweb.config.backup.refusals import DAMAGED, DEVICE_UNUSABLE, NEWER, NO_BACKUP, BackupRefused

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
DIGEST: Final = "manifest.sha256"
"""Of the manifest, in a file of its own: no file can name its own hash."""
_PIECE: Final = 1 << 20
ROOTS: Final = frozenset({"brokerweb.sqlite3", "secret_key", "engine", "pipeline"})
"""Where files of a backup may belong in a data folder."""


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One file."""

    bytes: int
    sha256: str


class StoreEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One instance."""

    estate: str
    instance: str
    fence: int
    """Number of the last owner of the store; 0 where locks decide."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a backup."""

    format: int
    version: str
    """Of the product that took it."""
    made_at: str
    """ISO 8601, UTC."""
    deployment: str
    """Digest of the service key under which the stores are."""
    has_service_key: bool
    """Whether the key is in the backup; else it was given as a setting."""
    held_seconds: float
    """How long the instances took no turns for it."""
    stores: tuple[StoreEntry, ...]
    files: dict[str, FileEntry]
    """By their place in the data folder, with `/`."""

    @property
    def bytes(self) -> int:
        """Of all files."""
        return sum(each.bytes for each in self.files.values())


class _Header(msgspec.Struct):
    """What every format has."""

    format: int
    version: str = ""


def copy_file(source: Path, target: Path) -> FileEntry:
    """Copy a file durably; what was copied. `OSError`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as read, target.open("xb") as written:
        while piece := read.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            written.write(piece)
        written.flush()
        os.fsync(written.fileno())
    return FileEntry(bytes=size, sha256=digest.hexdigest())


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Say what is in a folder; the backup is one once this is done. `OSError`."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    for name, content in ((MANIFEST, text), (DIGEST, f"{hashlib.sha256(text).hexdigest()}\n".encode())):
        with (folder / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def read_manifest(folder: Path) -> Manifest:
    """What a backup says is in it; `BackupRefused` for what is none, is damaged, or is of a later version."""
    try:
        text = (folder / MANIFEST).read_bytes()
        digest = (folder / DIGEST).read_text("ascii").strip()
        header = msgspec.json.decode(text, type=_Header)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise BackupRefused(
            NO_BACKUP, f"{folder} is no backup of brokerweb: there is no {Path(str(error.filename)).name} in it."
        ) from error
    except OSError as error:
        raise BackupRefused(DEVICE_UNUSABLE, f"{folder} cannot be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: {MANIFEST} cannot be read.") from error
    if header.format > FORMAT:
        raise BackupRefused(
            NEWER,
            f"The backup in {folder} was taken by version {header.version}, in a form that this program does not know. "
            "Install that version, or a later one.",
        )
    if hashlib.sha256(text).hexdigest() != digest:
        raise damaged(folder, MANIFEST, "is not as it was written")
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: {error}.") from error
    for name in manifest.files:
        parts = PurePosixPath(name).parts
        if not parts or parts[0] not in ROOTS or ".." in parts or "\0" in name:
            raise BackupRefused(NO_BACKUP, f"{folder} is no backup of brokerweb: it names the file {name!r}.")
    return manifest


def copy_back(folder: Path, manifest: Manifest, target: Path, told: Callable[[str], object]) -> None:
    """Copy every file of a backup, and see that each is as it was taken; `BackupRefused` at the first that is not."""
    for name, entry in manifest.files.items():
        told(name)
        try:
            found = copy_file(folder / name, target / name)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise damaged(folder, name, "is not there") from error
        if found != entry:
            raise damaged(folder, name, "is not as it was taken")


def damaged(folder: Path, name: str, what: str) -> BackupRefused:
    """A file of a backup is gone or has changed."""
    return BackupRefused(
        DAMAGED,
        f"The backup in {folder} is damaged: {name} {what}. Nothing was restored. Look after the disk, and take another "
        "copy of this backup, or another backup.",
    )
