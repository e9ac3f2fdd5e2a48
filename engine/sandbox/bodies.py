"""Bodies of test messages in a sandbox, and what the bodies of Error messages say."""

from __future__ import annotations

from typing import Final

from engine.core.catalog.builtin import message_type_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import Validation
from engine.core.vocabulary.identifiers import MessageTypeName

_BEGINNING, _END = b"<traffic>", b"</traffic>"
_FILLING: Final = b"brokerweb "


def body_of(database: DatabaseCatalog | None, message_type: MessageTypeName, size: int) -> bytes | None:
    """A body of `size` bytes such as its type lets through; XML is at least as long as its tags."""
    known = None if database is None else message_type_of(database, message_type)
    validation = Validation.NONE if known is None else known.validation
    if validation is Validation.EMPTY:
        return None
    is_xml = validation is not Validation.NONE
    room = max(size - len(_BEGINNING) - len(_END), 0) if is_xml else size
    filling = (_FILLING * (room // len(_FILLING) + 1))[:room]
    return _BEGINNING + filling + _END if is_xml else filling


def has_text(body: bytes | None, text: str) -> bool:
    """Whether a body contains a text, however it is encoded."""
    body = body or b""
    return any(text.encode(encoding) in body for encoding in ("utf-8", "utf-16-le"))
