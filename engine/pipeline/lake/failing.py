"""`LakeUnusable`: what the disk, Delta and Arrow say of a lake that does not work, as one numbered error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
from deltalake.exceptions import DeltaError

from engine.core.vocabulary.errors import LocalProtocolError

UNUSABLE: Final = 5123
SAID_MAX: Final = 300
"""Characters of what a library says that are told; some give the stack of their Rust."""


class LakeUnusable(LocalProtocolError):
    """The lake cannot be read or written; of what was to be written, nothing was."""

    def __init__(self, folder: Path, error: Exception) -> None:
        super().__init__(UNUSABLE, name=str(folder), value=_first_line(str(error)))


@contextmanager
def lake_errors(folder: Path) -> Iterator[None]:
    """Raises `LakeUnusable` for what goes wrong with the lake inside."""
    try:
        yield
    except (DeltaError, OSError, pa.ArrowException) as error:
        raise LakeUnusable(folder, error) from error


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    return next(filter(None, lines), "?")[:SAID_MAX]
