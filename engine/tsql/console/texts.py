"""Long texts: changed, converted, compared and searched piece by piece (`spending`), and never beyond their bound."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import Final

from engine.tsql.console.failing import TOO_MUCH, failed
from engine.tsql.spending import PIECE, pieces, spend

TEXT_LENGTH_MAX: Final = 8_000_000
"""Characters of a text, or bytes of a binary value, that a function or an operator makes at most."""


def check_length(length: int) -> None:
    """Refuse to make a value of this length when it is beyond the bound (8657)."""
    if length > TEXT_LENGTH_MAX:
        raise failed(TOO_MUCH, expected=TEXT_LENGTH_MAX)


def joined(texts: Iterable[str]) -> str:
    """Texts one behind the other. Errors: 8657, before they are put together."""
    found, length = [], 0
    for text in texts:
        length += len(text)
        check_length(length)
        found.append(text)
    return "".join(found)


def changed(text: str, change: Callable[[str], str]) -> str:
    """A text whose characters become others one by one, or several. Errors: 8657."""
    if len(text) <= PIECE:
        return change(text)
    return joined(change(text[piece]) for piece in pieces(len(text)))


def folded(text: str) -> str:
    """A text in which letter case does not count, character for character: places in it are those of the text."""
    return changed(text, _folded)


def _folded(piece: str) -> str:
    whole = piece.casefold()
    if len(whole) == len(piece):
        return whole
    # Of letters that become several, as ß does, each stays what it is.
    return "".join([letter if len(other := letter.casefold()) > 1 else other for letter in piece])


def decoded(value: bytes, encoding: str) -> str:
    """Bytes as a text; what is none in this encoding becomes U+FFFD. Errors: 8657."""
    check_length(len(value) // (2 if encoding.startswith("utf-16") else 1))
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    # A body without any sense is decoded slowly, mistake by mistake.
    return "".join([*(decoder.decode(value[piece]) for piece in pieces(len(value))), decoder.decode(b"", final=True)])


def encoded(text: str, encoding: str) -> bytes:
    """A text as bytes; what cannot be said in this encoding becomes a question mark."""
    return b"".join([text[piece].encode(encoding, "replace") for piece in pieces(len(text))])


def compare_caseless(one: str, other: str) -> int:
    """Texts as under the vendor's default collation: letter case does not count, nor do blanks at the end."""
    if len(one) <= PIECE and len(other) <= PIECE:
        left, right = one.rstrip(" ").casefold(), other.rstrip(" ").casefold()
        return (left > right) - (left < right)
    lefts, rights = _casefolds(one.rstrip(" ")), _casefolds(other.rstrip(" "))
    left = right = ""
    while True:
        left, right = left or next(lefts, ""), right or next(rights, "")
        common = min(len(left), len(right))
        if common == 0:
            return (len(left) > 0) - (len(right) > 0)
        if left[:common] != right[:common]:
            return 1 if left > right else -1
        left, right = left[common:], right[common:]


def _casefolds(text: str) -> Iterator[str]:
    return (text[piece].casefold() for piece in pieces(len(text)))


def places(part: str, text: str, start: int = 0) -> Iterator[int]:
    """Where a text contains another one that is not empty, character for character and without overlap."""
    at, size = start, max(PIECE, len(part))
    for first in range(start, len(text), size):
        spend()
        at, end = max(at, first), first + size + len(part) - 1
        while (found := text.find(part, at, end)) >= 0:
            yield found
            at = found + len(part)


def replaced(text: str, old: str, new: str) -> str:
    """A text with `new` wherever it says `old` in any letter case. Errors: 8657, before it is too long."""
    if not old:
        return text
    made, end, length = StringIO(), 0, 0
    for place in places(folded(old), folded(text)):
        length += place - end + len(new)
        check_length(length)
        made.write(text[end:place])
        made.write(new)
        end = place + len(old)
    check_length(length + len(text) - end)
    made.write(text[end:])
    return made.getvalue()
