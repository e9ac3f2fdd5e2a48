"""Files that somebody names on the command line: read whole within a bound, or refused with place and number."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from engine.api import LocalProtocolError

NO_SUCH_FILE, UNREADABLE_FILE, NOT_TEXT = 4860, 4861, 4864
"""The vendor's for files that are loaded: it does not exist, could not be opened, has an invalid character."""
UNWRITABLE_FILE = 5123
"""The vendor's for a file that is made."""
YAML_BYTES_MAX = 64 << 20
"""A file of a million nodes has about half of it, and takes seconds to read."""

SCRIPT_BYTES_MAX = 1 << 30
"""A collected server of 100,000 objects has a tenth of it."""


class FileRefused(Exception):
    """A file that cannot be read as text; line and column count from 1, and `text` begins with a number."""

    def __init__(self, file: str, text: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{file}:{line}:{column}: {text}")
        self.file, self.line, self.column, self.text = file, line, column, text


def _told(number: int, **parameters: str) -> str:
    return str(LocalProtocolError(number, **parameters))


def text_given(name: str, *, bytes_max: int, allows_utf_16: bool = False) -> str:
    """The text of a regular file in UTF-8, or in UTF-16 where a mark says so and it is allowed; `FileRefused`."""
    try:
        # What is no regular file may have no end, or wait for a writer: it is opened without waiting, and never read.
        with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                what = "it is a directory" if Path(name).is_dir() else "it is no regular file"
                raise _unreadable(name, what)
            data = _read(name, file, bytes_max)
    except FileNotFoundError as error:
        raise FileRefused(name, _told(NO_SUCH_FILE, name=name)) from error
    except (OSError, ValueError) as error:
        raise _unreadable(name, getattr(error, "strerror", None) or str(error)) from error
    return _decoded(name, data, allows_utf_16=allows_utf_16)


def text_piped(name: str, stream: BinaryIO, *, bytes_max: int, allows_utf_16: bool = False) -> str:
    """The text that comes through a pipe, within a bound; `FileRefused`, under this name."""
    return _decoded(name, _read(name, stream, bytes_max), allows_utf_16=allows_utf_16)


def _read(name: str, stream: BinaryIO, bytes_max: int) -> bytes:
    data = stream.read(bytes_max + 1)
    if len(data) > bytes_max:
        raise _unreadable(name, f"it is larger than {bytes_max} bytes")
    return data


def _unreadable(name: str, detail: str) -> FileRefused:
    return FileRefused(name, _told(UNREADABLE_FILE, name=name, detail=detail))


def _decoded(name: str, data: bytes, *, allows_utf_16: bool) -> str:
    is_utf_16 = allows_utf_16 and data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
        encoding = "UTF-16" if is_utf_16 else "UTF-8"
        raise FileRefused(name, _told(NOT_TEXT, name=name, detail=encoding), line, column) from error
