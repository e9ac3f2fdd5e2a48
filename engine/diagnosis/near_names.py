"""`near_names`: what somebody may have meant who named what is not there."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final, TypeVar

from engine.diagnosis.likeness import skeleton

Name = TypeVar("Name", bound=str)

NEAR_MAX: Final = 3
_COMPARED_MAX: Final = 5_000
"""Names that are compared letter by letter; beyond them only those count that look the same."""
_CLOSENESS: Final = 0.8
"""Of two names, 0 to 1, from which on one is taken for the other misspelt."""


def near_names(name: str, names: Iterable[Name]) -> tuple[Name, ...]:
    """At most three of `names`: those that a person takes for `name`, then those without accents, then misspelt ones.

    Case, encoding, letters that look alike and accents are what people do not see; `name` itself is not among them.
    """
    others = [each for each in dict.fromkeys(names) if each != name]
    meant, plain = skeleton(name), _without_accents(skeleton(name))
    found: dict[Name, None] = {}
    by_plain: dict[str, Name] = {}
    look_alike: list[Name] = []
    for each in others:
        other = skeleton(each)
        bare = _without_accents(other)
        if other == meant:
            found[each] = None
        elif bare == plain:
            look_alike.append(each)
        by_plain.setdefault(bare, each)
    found.update(dict.fromkeys(look_alike))
    if len(by_plain) <= _COMPARED_MAX:
        close = get_close_matches(plain, by_plain, n=NEAR_MAX, cutoff=_CLOSENESS)
        found.update(dict.fromkeys(by_plain[each] for each in close))
    return tuple(found)[:NEAR_MAX]


def _without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
