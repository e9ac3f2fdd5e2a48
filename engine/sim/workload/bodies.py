"""Bodies that say all that their reader needs: `<handle of the sender>:<number>:<orders>:<filling>`.

So readers keep no state that a crash could take, and a checker sees from a body alone where it belongs.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from engine.core.vocabulary.identifiers import ConversationHandle

REPLY: Final = "reply"
END: Final = "end"
FAIL: Final = "fail"


class Letter(msgspec.Struct, frozen=True):
    """What a body says."""

    sender: ConversationHandle
    number: int
    """Position among the messages of its sender, from 0."""
    orders: tuple[str, ...]
    """What the reader is to do."""


def write(letter: Letter, size: int) -> bytes:
    """A body of at least what the letter needs, filled up to `size` bytes."""
    text = f"{letter.sender}:{letter.number}:{'+'.join(letter.orders)}:"
    return text.ljust(size, ".").encode()


def read(body: bytes | None) -> Letter | None:
    """What a body says; None when no application of this world wrote it."""
    parts = (body or b"").decode(errors="replace").split(":", 3)
    if len(parts) != 4 or parts[3].strip("."):
        return None
    try:
        orders = tuple(order for order in parts[2].split("+") if order)
        return Letter(ConversationHandle(UUID(parts[0])), int(parts[1]), orders)
    except ValueError:
        return None
