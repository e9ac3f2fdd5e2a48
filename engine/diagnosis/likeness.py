"""Names that a person takes for one, and where they differ: services are compared to the letter (routing.md 1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from engine.diagnosis.finding import Phrase
from engine.diagnosis.words import phrase

_LOOK_ALIKES: Final = str.maketrans(
    "аеорсухіјѕһԁɡνοαρυικτχΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХІЅЈ‐‑‒–—―−’‘ʼ“”／∕",
    "aeopcyxijshdgvoapuiktxABEZHIKMNOPTYXABEKMHOPCTYXISJ-------'''\"\"//",
)
"""Letters of other alphabets, dashes, quotes and slashes that look like the ones of a keyboard."""
_INVISIBLE: Final = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
_LISTED_MAX: Final = 3


def skeleton(name: str) -> str:
    """What is left of a name without letter case, outer blanks, a last slash, and the way it is encoded."""
    # Some letters look like others only in lower case: what is folded may fold once more.
    while (folded := _folded(name)) != name:
        name = folded
    return name


def _folded(name: str) -> str:
    visible = "".join(letter for letter in name if letter not in _INVISIBLE)
    plain = unicodedata.normalize("NFKC", visible).translate(_LOOK_ALIKES)
    return unicodedata.normalize("NFKC", " ".join(plain.split()).rstrip("/ ").casefold())


def difference(written: str, meant: str) -> Phrase:
    """In which way two names with one skeleton differ, and at which characters."""
    return phrase("difference", manner=phrase(_manner(written, meant)), places=tuple(_places(written, meant)))


def _manner(written: str, meant: str) -> str:
    if unicodedata.normalize("NFC", written) == unicodedata.normalize("NFC", meant):
        return "manner_encoding"
    if written.strip() == meant.strip():
        return "manner_blank"
    if written.rstrip("/") == meant.rstrip("/"):
        return "manner_slash"
    if written.lower() == meant.lower():
        return "manner_case"
    if written.casefold() == meant.casefold():
        return "manner_spelling"
    return "manner_look_alike"


def _places(written: str, meant: str) -> Iterator[Phrase]:
    """The first differences, each with the code points of both."""
    begin = 0
    while begin < min(len(written), len(meant)) and written[begin] == meant[begin]:
        begin += 1
    end = 0
    shorter = min(len(written), len(meant)) - begin
    while end < shorter and written[-1 - end] == meant[-1 - end]:
        end += 1
    ours, theirs = written[begin : len(written) - end], meant[begin : len(meant) - end]
    if len(ours) != len(theirs):
        yield phrase("place", at=begin + 1, ours=_shown(ours), theirs=_shown(theirs))
        return
    differing = [at for at, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]]
    for at in differing[:_LISTED_MAX]:
        yield phrase("place", at=begin + at + 1, ours=_shown(ours[at]), theirs=_shown(theirs[at]))
    if len(differing) > _LISTED_MAX:
        yield phrase("more_places", count=len(differing) - _LISTED_MAX)


def _shown(letters: str) -> Phrase | str:
    if not letters:
        return phrase("no_letters")
    listed = letters[: 2 * _LISTED_MAX]
    points = " ".join(f"U+{ord(letter):04X}" for letter in listed)
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in listed)
    return f"'{shown}' ({points})" if len(letters) == len(listed) else f"'{shown}…' ({points} …)"
