"""Names of estates and instances as names of files and of queues.

A name has up to 128 characters, and quoting makes three bytes of each byte beyond ASCII: 1,536 at most. A file system
and AMQP take 255. What does not fit is shortened: its beginning, `+`, and a digest of all of it. A quoted name never
contains `+`, so no shortened name equals a quoted one. Names that fit stay as they are: released versions used them.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final
from urllib.parse import quote

SHORTENED_SIGN: Final = "+"
FILE_BYTES_MAX: Final = 239
"""Of 255: SQLite adds up to 16 bytes to the name of an instance (`.sqlite3-journal`)."""
QUEUE_BYTES_MAX: Final = 255
_KEPT_BYTES: Final = 60
"""Of a shortened name, before its digest; SQLite takes paths of 512 bytes at most."""


def quoted(name: str) -> str:
    """A name in ASCII without dots and separators; `urllib.parse.unquote` gives the name back."""
    return quote(name, safe="").replace(".", "%2E")


def fitting(text: str, bytes_max: int) -> str:
    """Shorten ASCII text that has more than `bytes_max` bytes: the same text is shortened the same everywhere."""
    if len(text) <= bytes_max:
        return text
    return f"{text[:_KEPT_BYTES]}{SHORTENED_SIGN}{blake2b(text.encode(), digest_size=16).hexdigest()}"
