"""Files that somebody names on the command line: read whole within a bound, or refused with place and number."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from engine.api import LocalProtocolError

NO_SUCH_FILE, UNREADABLE_FILE, NOT_TEXT = 4860, 4861, 4864
"""The vendor's for files that are loaded: it does not exist, could not be opened, has an invalid character."""
UNWRITABLE_FILE = 5123
"""The vendor's for a file that is made."""
YAML_BYTES_MAX = 64 << 20
"""A file of a million nodes has about half of it, and takes seconds to read."""

SCRIPT_BYTES_MAX = 1 << 30
"""A collected server of 100,000 objects has a tenth of it."""


WINDOWS_1252: Final = "Windows-1252"
_UTF_8_CHARACTER: Final = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}")
"""Two letters of Windows-1252 in a row that make one are rare: an accent is beside a letter of ASCII."""


class FileRefused(Exception):
    """A file that cannot be read as text; line and column count from 1, and `text` begins with a number."""

    def __init__(self, file: str, text: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{file}:{line}:{column}: {text}")
        self.file, self.line, self.column, self.text = file, line, column, text


def _told(number: int, **parameters: str) -> str:
    return str(LocalProtocolError(number, **parameters))


class GivenScript(NamedTuple):
    """A script as text. `assumed` is the encoding that was guessed; None where the bytes say which it is."""

    text: str
    assumed: str | None


def text_given(name: str, *, bytes_max: int) -> str:
    """The text of a regular file in UTF-8; `FileRefused`."""
    return _text(name, _bytes_of(name, bytes_max), "UTF-8", "utf-8-sig")


def script_given(name: str, *, bytes_max: int) -> GivenScript:
    """The text of a regular file in UTF-8, UTF-16 or Windows-1252, as SQL Server's tools save them; `FileRefused`."""
    return _script(name, _bytes_of(name, bytes_max))


def script_piped(name: str, stream: BinaryIO, *, bytes_max: int) -> GivenScript:
    """As `script_given`, of what comes through a pipe; `FileRefused`, under this name."""
    return _script(name, _read(name, stream, bytes_max))


def _bytes_of(name: str, bytes_max: int) -> bytes:
    try:
        # What is no regular file may have no end, or wait for a writer: it is opened without waiting, and never read.
        with open(os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                what = "it is a directory" if Path(name).is_dir() else "it is no regular file"
                raise _unreadable(name, what)
            return _read(name, file, bytes_max)
    except FileNotFoundError as error:
        raise FileRefused(name, _told(NO_SUCH_FILE, name=name)) from error
    except (OSError, ValueError) as error:
        raise _unreadable(name, getattr(error, "strerror", None) or str(error)) from error


def _read(name: str, stream: BinaryIO, bytes_max: int) -> bytes:
    data = stream.read(bytes_max + 1)
    if len(data) > bytes_max:
        raise _unreadable(name, f"it is larger than {bytes_max} bytes")
    return data


def _unreadable(name: str, detail: str) -> FileRefused:
    return FileRefused(name, _told(UNREADABLE_FILE, name=name, detail=detail))


def _script(name: str, data: bytes) -> GivenScript:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return GivenScript(_text(name, data, "UTF-16", "utf-16"), None)
    if (order := _utf_16_order(data)) is not None:
        return GivenScript(_text(name, data, f"UTF-16 {order}", f"utf-16-{order.lower()}"), f"UTF-16 {order}")
    try:
        return GivenScript(_text(name, data, "UTF-8", "utf-8-sig"), None)
    except FileRefused:
        text = _as_windows_1252(data)
        if text is None:
            raise
        return GivenScript(text, WINDOWS_1252)


def _utf_16_order(data: bytes) -> str | None:
    """T-SQL is mostly ASCII: as UTF-16 every other byte is zero, in all other encodings none is."""
    at_even, at_odd = data[::2].count(0), data[1::2].count(0)
    if at_even + at_odd == 0 or at_even + at_odd < len(data) / 4:
        return None
    return "LE" if at_odd > at_even else "BE"


def _as_windows_1252(data: bytes) -> str | None:
    """The text; None for a file that must be UTF-8 and is damaged: it has the mark, or characters of UTF-8."""
    if data.startswith(codecs.BOM_UTF8) or b"\0" in data or _UTF_8_CHARACTER.search(data) is not None:
        return None
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return None


def _text(name: str, data: bytes, encoding: str, codec: str) -> str:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
        raise FileRefused(name, _told(NOT_TEXT, name=name, detail=encoding), line, column) from error
    if "\0" in text:
        start = text.index("\0")
        line, column = text.count("\n", 0, start) + 1, start - (text.rfind("\n", 0, start) + 1) + 1
        raise FileRefused(name, _told(NOT_TEXT, name=name, detail=f"{encoding} text: U+0000"), line, column)
    return text
