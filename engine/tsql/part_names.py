"""Names of several parts that are kept as one text: procedures, collections of XML schemas (tsql.md, grammar notation).

A part stands bare; only one in which a dot stands, or that could be taken for one in brackets, stands in brackets. So
`[s.x].[p]` and `[s].[x.p]` stay two names, and what real servers show, `[dbo].[p]`, is the name `dbo.p`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_PART: Final = re.compile(r"\[(?P<quoted>(?:[^\]]++|\]\])++)\](?=\.|\Z)|(?P<bare>(?!\[)[^.]*+)(?=\.|\Z)")


def joined(parts: Sequence[str]) -> str:
    """The parts as one text; empty ones, as in `database..procedure`, stay empty."""
    return ".".join(_as_kept(part) for part in parts)


def parts_of(text: str) -> tuple[str, ...]:
    """The parts of a text that `joined` or a server has made; one that nobody has made so is a single part."""
    found: list[str] = []
    position = 0
    while (part := _PART.match(text, position)) is not None:
        found.append(part["bare"] if part["quoted"] is None else part["quoted"].replace("]]", "]"))
        if part.end() == len(text):
            return tuple(found) if found[0] and found[-1] else (text,)
        position = part.end() + 1
    return (text,)


def _as_kept(part: str) -> str:
    return "[" + part.replace("]", "]]") + "]" if "." in part or part.startswith("[") else part
