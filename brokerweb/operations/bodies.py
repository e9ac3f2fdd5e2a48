"""Message bodies for human eyes: bytes say nothing about their encoding, so it is read off them.

The engine treats a body as opaque; this guess is for display only and is never written back.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from brokerweb.accounts.rights import Right
from engine import api as engine

SHOWN_BYTES_MAX = 64 * 1024
"""Bytes of a body that are shown; a larger one is cut, and its size says so."""

Encoding = Literal["utf-8", "utf-16", "hex"]
_LAYOUT = "\t\n\r"


def readable_body(body: bytes, size: int | None = None) -> tuple[str, Encoding]:
    """The body as text and how it was read: UTF-8, UTF-16 (what T-SQL's N'…' sends), or hexadecimal.

    `size` is that of the whole body in bytes, where `body` is its beginning.
    """
    size = len(body) if size is None else size
    shown = body[:SHOWN_BYTES_MAX]
    for codec, encoding in (("utf-8", "utf-8"), ("utf-16-le", "utf-16")):
        if codec == "utf-16-le" and size % 2:
            continue
        text = _decoded(shown, codec, is_cut=len(shown) < size)
        if text is not None and all(character.isprintable() or character in _LAYOUT for character in text):
            return text, "utf-8" if encoding == "utf-8" else "utf-16"
    return shown.hex(), "hex"


def _decoded(shown: bytes, codec: str, *, is_cut: bool) -> str | None:
    """The text, without its byte order mark; None when the bytes are not in this encoding."""
    try:
        return shown.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        # A cut may fall inside a character; anything wrong before the last few bytes is another encoding.
        if is_cut and error.start >= len(shown) - 4:
            return shown[: error.start].decode(codec).removeprefix("\ufeff")
        return None


def readable_message(row: engine.QueueRow, *, shows_body: bool, size: int | None = None) -> dict[str, Any]:
    """A queue's row with its body readable, or the name of the right that reading it takes; its time as a date.

    `size` as of `readable_body`.
    """
    is_withheld = row.message_body is not None and not shows_body
    body, encoding = (None, None) if row.message_body is None or is_withheld else readable_body(row.message_body, size)
    return {
        "status": int(row.status),
        "priority": row.priority,
        "queuing_order": row.queuing_order,
        "conversation_group_id": row.conversation_group_id,
        "conversation_handle": row.conversation_handle,
        "message_sequence_number": row.message_sequence_number,
        "service_name": row.service_name,
        "service_contract_name": row.service_contract_name,
        "message_type_name": row.message_type_name,
        "message_enqueue_time": datetime.fromtimestamp(row.message_enqueue_time, UTC),
        "message_body": body,
        "message_body_encoding": encoding,
        "message_body_withheld": Right.READ_PAYLOADS if is_withheld else None,
        "message_body_bytes": len(row.message_body or b"") if size is None else size,
        "message_body_shown_bytes": 0 if body is None else min(len(row.message_body or b""), SHOWN_BYTES_MAX),
    }
