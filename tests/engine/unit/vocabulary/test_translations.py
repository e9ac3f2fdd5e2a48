"""The numbered texts in other languages say what English says, with the same parameters."""

import re
import string

import pytest

from engine.core.vocabulary.errors import CatalogueEntry, catalogue
from engine.core.vocabulary.translations import TRANSLATIONS, catalogue_in, translated
from tests.support.each import for_each

TRANSLATED = [(language, number) for language in TRANSLATIONS for number in sorted(catalogue_in(language))]
PARTS = ("text", "why", "cure")
LISTENS = 9690
"""The only number that tells of something good."""


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def differences(entry: CatalogueEntry, english: CatalogueEntry) -> list[str]:
    """The parts that are missing, superfluous, or name other parameters than the English ones."""
    return [
        part
        for part in PARTS
        if placeholders(getattr(entry, part)) != placeholders(getattr(english, part))
        or bool(getattr(entry, part)) != bool(getattr(english, part))
    ]


@for_each(("language", "number"), TRANSLATED)
def test_each_translation_has_the_parts_and_the_parameters_of_the_english_text(language: str, number: int) -> None:
    entry = catalogue_in(language)[number]
    assert differences(entry, catalogue()[number]) == []
    assert not entry.text.endswith(".")
    assert all(sentence == "" or sentence.endswith(".") for sentence in (entry.why, entry.cure))


def test_the_comparison_bites() -> None:
    english = CatalogueEntry("{name} is off", cure="Switch it on.")
    assert differences(CatalogueEntry("{nom} est désactivé", why="Parce que."), english) == ["text", "why", "cure"]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_language_has_every_number(language: str) -> None:
    assert list(catalogue_in(language)) == list(catalogue())


def test_every_error_says_what_to_do() -> None:
    assert [number for number, entry in catalogue().items() if not entry.cure] == [LISTENS]


def test_french_has_spaces_that_do_not_break_where_it_needs_them() -> None:
    texts = [getattr(entry, part) for entry in catalogue_in("fr").values() for part in PARTS]
    # A colon stands without a space in an address.
    assert [text for text in texts if re.search(r" [:;?!»]|« |[^\s\u00a0][;?!»]|[^\s\u00a0]:\s", text)] == []


def test_a_text_is_filled_in_or_left_to_english() -> None:
    said = translated("de", 8423, {"service": "//exemple.fr/Größe"})
    assert said is not None
    assert said.text == "Der Dienst „//exemple.fr/Größe“ ist in dieser Datenbank nicht zu finden"
    assert translated("de", 8423, {}) is None
    assert translated("de", 1, {}) is None
    assert translated("pt", 8423, {"service": "x"}) is None
