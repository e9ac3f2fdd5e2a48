"""What the engine says in other languages than English: numbered texts, the words inside them, and its sentences.

`error_catalogue.LANGUAGE.toml` beside the English one holds the texts under the same numbers, with the same
parameters, as the vendor has them in `sys.messages`. A parameter may be words of ours, English ones; these, and the
sentences that have no number, stand in `phrases.toml` by name, and `phrases.LANGUAGE.toml` has the same names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import msgspec

from engine.core.vocabulary.errors import CatalogueEntry, catalogue
from engine.core.vocabulary.phrasebook import Phrasebook

TRANSLATIONS: Final = ("fr", "de")
"""The languages, as HTTP names them, that there are texts in besides English."""
ALWAYS_WORDS: Final = frozenset({"detail", "expected"})
"""Parameters that hold words of the engine in every text; `CatalogueEntry.words` names those that do in one."""
_REMEMBERED: Final = 4096
"""Texts: an import says the same of thousands of statements."""
_LENGTH_MAX: Final = 2000
"""Letters of a text that is looked for; what is longer quotes somebody else, and looking would take long."""
_LOOKS_MAX: Final = 200
"""Words that are looked for in one text."""
_DEPTH_MAX: Final = 8
"""Words of ours within each other."""
_NUMBERED: Final = re.compile(r"(\d{3,5}): (.+)", re.DOTALL)


@cache
def catalogue_in(language: str) -> dict[int, CatalogueEntry]:
    """The numbered texts of a language; none for a language that is not known."""
    if language not in TRANSLATIONS:
        return {}
    entries = _table(f"error_catalogue.{language}.toml")
    return {int(number): msgspec.convert(entry, CatalogueEntry) for number, entry in entries.items()}


@cache
def phrases_in(language: str) -> dict[str, str]:
    """The phrases of a language by name; the English ones for a language that is not known."""
    name = f"phrases.{language}.toml" if language in TRANSLATIONS else "phrases.toml"
    return {key: text for section in _table(name).values() for key, text in section.items()}


def translated(language: str, number: int, parameters: Mapping[str, Any]) -> CatalogueEntry | None:
    """An error's texts in a language, filled in; None when they are to be said in English.

    That is when there are none, or when a parameter that they name is not among those given.
    """
    entry = catalogue_in(language).get(number)
    if entry is None:
        return None
    return _Reading(language).filled_in(entry, number, parameters)


def sentence_in(language: str, text: str) -> str:
    """A sentence or phrase that the engine has written in English, in a language; unchanged if it is none of its own.

    Numbered texts are known too, with their number in front and without it.
    """
    if language not in TRANSLATIONS or not text:
        return text
    said = _said(language, text)
    return text if said is None else said


@lru_cache(_REMEMBERED)
def _said(language: str, text: str) -> str | None:
    """The text in a language; None when it is not known."""
    return _Reading(language).said(text)


class _Reading:
    """One text, read as words of ours within words of ours.

    A text of a user may look like them in very many ways; after so many that is given up.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._left = _LOOKS_MAX
        self._depth = 0
        self._known: dict[str, str | None] = {}

    def said(self, text: str) -> str | None:
        """The text in the language; None when it is not known."""
        if text in self._known:
            return self._known[text]
        if len(text) > _LENGTH_MAX or self._left <= 0 or self._depth >= _DEPTH_MAX:
            return None
        self._left -= 1
        self._depth += 1
        found = self._known[text] = self._found(text)
        self._depth -= 1
        return found

    def _found(self, text: str) -> str | None:
        theirs = phrases_in(self._language)
        for name, found in _phrasebook().found(text):
            filled = {each: self._filled(each, value) for each, value in found.items()}
            if None not in filled.values():
                return theirs[name].format_map(filled)
        if (numbered := _NUMBERED.fullmatch(text)) is not None:
            # A number in front of what is no text of the catalogue: a mistake in a file that was given.
            said = self._of_number(numbered[2], int(numbered[1])) or self.said(numbered[2])
            return None if said is None else f"{numbered[1]}: {said}"
        return self._of_number(text)

    def _of_number(self, text: str, number: int | None = None) -> str | None:
        for each, parameters in _numbers().found(text):
            entry = catalogue_in(self._language).get(each) if number in (None, each) else None
            said = None if entry is None else self.filled_in(entry, each, parameters)
            if said is not None:
                return said.text
        return None

    def filled_in(self, entry: CatalogueEntry, number: int, parameters: Mapping[str, Any]) -> CatalogueEntry | None:
        """The texts of a number with its parameters; None when one that they name is not among these."""
        words = ALWAYS_WORDS.union(catalogue()[number].words)
        filled = {
            name: self._listed(value) if name in words and isinstance(value, str) else value
            for name, value in parameters.items()
        }
        try:
            return CatalogueEntry(
                entry.text.format_map(filled), entry.why.format_map(filled), entry.cure.format_map(filled)
            )
        except KeyError:
            return None

    def _filled(self, name: str, value: str) -> str | None:
        """What goes into the braces of that name; None when it should be words of ours and is not."""
        if name.endswith("_words"):
            return self.said(value)
        return self._listed(value) if name.endswith("_list") else value

    def _listed(self, value: str) -> str:
        """Each of the words between commas, or what they are as a whole; those that are not ours stay."""
        each = [(part, self.said(part)) for part in value.split(", ")]
        if any(said is None for _, said in each) and (whole := self.said(value)) is not None:
            return whole
        return ", ".join(part if said is None else said for part, said in each)


@cache
def _phrasebook() -> Phrasebook[str]:
    return Phrasebook(phrases_in("en"))


@cache
def _numbers() -> Phrasebook[int]:
    return Phrasebook({number: entry.text for number, entry in catalogue().items()})


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("engine.core.vocabulary").joinpath(name).read_text("utf-8"))
