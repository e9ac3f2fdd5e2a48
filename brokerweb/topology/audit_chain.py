"""The hash chain of the log: each decision carries a hash of itself and of the hash of the one before it.

Who changes, inserts or removes a row leaves a break, unless he writes every later hash anew; and then the last hash is
another one than somebody may have noted. What is undone is marked later, so that mark is not part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

RESERVED: Final = "reserved"
PIECE: Final = 65_536
"""Letters that are encoded together to be hashed."""


class Link(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What of a decision the chain holds, in the order in which it is hashed."""

    estate: str
    sequence: int
    change_set: int | None
    author: str
    decided_at: datetime
    origin: str
    client_address: str
    user_agent: str
    request_id: str
    revision: int | None
    content: str
    """`content_digest`, or `RESERVED` for a decision that was numbered before anybody knew what would come of it."""


class ContentDigest:
    """The hash of what was decided: of `[summary, objects, more objects, …]` as JSON, in the texts that the log keeps.

    Where the summary can be said in other languages, `[summary, said]` stands in its place, with sorted keys. Most
    decisions have one text of objects, those of before there were parts whatever their size.
    """

    def __init__(self, summary: str, said: Mapping[str, Any] | None = None) -> None:
        first = summary if said is None else [summary, said]
        self._hash = hashlib.sha256(b"[" + msgspec.json.encode(first, order="deterministic"))

    def add(self, objects: str) -> None:
        """The next text. One of tens of megabytes is encoded little by little."""
        self._hash.update(b',"')
        for begin in range(0, len(objects), PIECE):
            self._hash.update(msgspec.json.encode(objects[begin : begin + PIECE])[1:-1])
        self._hash.update(b'"')

    def hexdigest(self) -> str:
        """The hash of everything that was added."""
        whole = self._hash.copy()
        whole.update(b"]")
        return whole.hexdigest()


def content_digest(summary: str, objects: Iterable[str], said: Mapping[str, Any] | None = None) -> str:
    """The hash of what was decided: the sentence, and the texts of objects that the log keeps, in order."""
    digest = ContentDigest(summary, said)
    for text in objects:
        digest.add(text)
    return digest.hexdigest()


def link_digest(previous: str, link: Link) -> str:
    """The hash of a decision that follows on the one with hash `previous`; that of the first one is empty."""
    same_instant = msgspec.structs.replace(link, decided_at=link.decided_at.astimezone(UTC))
    return _sha256(msgspec.json.encode([previous, same_instant]))


def filled_digest(digest: str, content: str) -> str:
    """The hash of what a reserved decision has become, bound to its place in the chain by the hash it has there.

    `content` is the `content_digest` of it.
    """
    return _sha256(msgspec.json.encode([digest, content]))


def _sha256(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
