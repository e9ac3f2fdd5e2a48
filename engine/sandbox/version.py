"""Which engine makes the states of sandboxes: the product's version, and a digest of the code that decides on a course.

Another digest need not mean another course of a log, but the same digest means the same one.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from engine.version import VERSION

_ROOMS: Final = ("core", "runtime", "sandbox", "security", "sim", "storage", "training", "tsql", "whatif")
"""What a sandbox is made of, and what grades it."""
_DIGITS: Final = 10


@cache
def engine_version() -> str:
    """As `0.1.0+3f2a91c04d`; the same in every process of one installation."""
    engine = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for room in _ROOMS:
        for file in sorted((engine / room).rglob("*.py")):
            digest.update(str(file.relative_to(engine)).encode() + b"\0" + file.read_bytes() + b"\0")
    return f"{VERSION}+{digest.hexdigest()[:_DIGITS]}"
