"""What `msgspec` says of a value that does not have the form of its type."""

from __future__ import annotations

import msgspec

_AT = " - at `"


def misfit_of(error: msgspec.ValidationError) -> tuple[str, str]:
    """The sentence and the place, a path that begins with `$`. The sentence may quote the value, whatever it holds."""
    text = str(error)
    sentence, at, place = text.rpartition(_AT)
    return (sentence, place.removesuffix("`")) if at and place.startswith("$") else (text, "$")
