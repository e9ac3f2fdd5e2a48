"""Certificate files that scripts write and read: a folder that all instances of an estate share.

No file of any disk is read or written. A path is a name: letter case does not count, nor the kind of slash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from engine.core.vocabulary.errors import CatalogError

FILES_MAX: Final = 256
"""Of one estate."""
FILE_BYTES_MAX: Final = 16 * 1024
"""A certificate has about 1 KiB; one with the longest key there may be has 5."""
PATH_LENGTH_MAX: Final = 260
CANNOT_WRITE, CANNOT_READ = 15240, 15208


class ServerFiles(Protocol):
    """The folder of one estate."""

    def read(self, path: str) -> bytes | None:
        """The content of a file; None when no script has written it. `CatalogError` when it may not be read."""
        ...

    def write(self, path: str, content: bytes) -> None:
        """Write a file that is not there. `CatalogError` 15240 for one that is, and for what has no room."""
        ...


def file_key(path: str) -> str:
    """What two spellings of one path have in common."""
    parts = path.strip().replace("\\", "/").casefold().split("/")
    return "/".join(part for at, part in enumerate(parts) if part not in ("", ".") or (part == "" and at == 0))


def check_write(path: str, content: bytes, *, is_there: bool, count: int) -> None:
    """Raise 15240 for a file that cannot be written; `count` files are there."""
    if not file_key(path) or len(path) > PATH_LENGTH_MAX or "\0" in path:
        raise CatalogError(CANNOT_WRITE, name=path, detail=f"a path has 1 to {PATH_LENGTH_MAX} characters")
    if is_there:
        raise CatalogError(CANNOT_WRITE, name=path, detail="the file exists already")
    if len(content) > FILE_BYTES_MAX:
        raise CatalogError(CANNOT_WRITE, name=path, detail=f"a file has at most {FILE_BYTES_MAX} bytes")
    if count >= FILES_MAX:
        raise CatalogError(CANNOT_WRITE, name=path, detail=f"there are {FILES_MAX} files, which is the most")


class MemoryFiles:
    """Files in memory. `ServerFiles`."""

    def __init__(self) -> None:
        self.written: Final[dict[str, tuple[str, bytes]]] = {}
        """By `file_key`: path and content, oldest first."""

    def read(self, path: str) -> bytes | None:
        """The content of a file."""
        found = self.written.get(file_key(path))
        return None if found is None else found[1]

    def write(self, path: str, content: bytes) -> None:
        """Write a file that is not there."""
        check_write(path, content, is_there=file_key(path) in self.written, count=len(self.written))
        self.written[file_key(path)] = path, content


class ImportFiles(MemoryFiles):
    """Files that an import writes, over those of its estate: an import that is repeated writes them once more."""

    def __init__(self, before: Mapping[str, bytes]) -> None:
        """`before`: contents by `file_key`; not changed."""
        super().__init__()
        self._before = before

    def read(self, path: str) -> bytes | None:
        """The content of a file, of this import or of before."""
        found = super().read(path)
        return self._before.get(file_key(path)) if found is None else found
