"""Bodies of test messages: of the wanted size, and such as their type lets through."""

from __future__ import annotations

from typing import Final

from engine import api as engine

_BEGINNING, _END = b"<traffic>", b"</traffic>"
_FILLING: Final = b"brokerweb "


def body_of(validation: engine.Validation, size: int) -> bytes | None:
    """A body of `size` bytes; None where the type takes none. XML is at least as long as its tags."""
    if validation is engine.Validation.EMPTY:
        return None
    is_xml = validation is not engine.Validation.NONE
    room = max(size - len(_BEGINNING) - len(_END), 0) if is_xml else size
    filling = (_FILLING * (room // len(_FILLING) + 1))[:room]
    return _BEGINNING + filling + _END if is_xml else filling
