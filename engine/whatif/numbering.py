"""`told_number`: a number of the error catalogue with what fills it, in a language."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.vocabulary.errors import Parameter, catalogue, text_of
from engine.core.vocabulary.translations import translated
from engine.whatif.telling import ToldNumber
from engine.whatif.words import ENGLISH


def told_number(number: int, parameters: Mapping[str, Parameter], language: str = ENGLISH) -> ToldNumber:
    """The number in words; parameters that are words are given in English."""
    given = dict(parameters)
    found = translated(language, number, given)
    if found is not None:
        return ToldNumber(number, found.text, found.why, found.cure, given)
    entry = catalogue()[number]
    known = _Kept({name: value for name, value in given.items() if value is not None})
    return ToldNumber(
        number, text_of(number, **given), entry.why.format_map(known), entry.cure.format_map(known), given
    )


class _Kept(dict[str, Parameter]):
    """Leaves a brace alone whose parameter is not given."""

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"
