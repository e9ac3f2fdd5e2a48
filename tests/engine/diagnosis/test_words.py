"""The words of the findings: every language has every entry, with the parameters of the English one."""

import re
import string
from collections.abc import Iterator

import pytest

from engine.core.catalog.changes import RouteAltered, RouteDropped
from engine.core.vocabulary.translations import TRANSLATIONS
from engine.diagnosis.finding import Finding, NumberedReason, ObjectKind, Parameter, Phrase
from engine.diagnosis.saying import said
from engine.diagnosis.words import ENGLISH, Words, kind_text, worded, words_in
from tests.support.diagnosed_estates import diagnosed, sample_estate

PARTS = ("title", "text", "why", "cure")


def sentences(words: Words) -> Iterator[tuple[str, str]]:
    """Every sentence by its place; what an entry does not say is an empty one."""
    for code, entry in words.checks.items():
        yield from ((f"checks {code} {part}", getattr(entry, part)) for part in PARTS)
    for code, each in words.unchecked.items():
        yield f"unchecked {code} title", each.title
        yield f"unchecked {code} reason", each.reason
    for table in ("phrases", "kinds", "steps"):
        yield from ((f"{table} {name}", text) for name, text in getattr(words, table).items())


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def differences(words: Words, english: Words) -> list[str]:
    """Places that are missing, superfluous, or name other parameters than the English ones."""
    ours, theirs = dict(sentences(words)), dict(sentences(english))
    return sorted(
        place
        for place in ours.keys() | theirs.keys()
        if placeholders(ours.get(place, "")) != placeholders(theirs.get(place, ""))
        or bool(ours.get(place)) != bool(theirs.get(place))
    )


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_entries_and_the_parameters_of_english(language: str) -> None:
    assert differences(words_in(language), words_in(ENGLISH)) == []
    assert all(each.severity is None and each.number is None for each in words_in(language).checks.values())


def test_the_comparison_bites() -> None:
    english = Words(checks={}, unchecked={}, phrases={"one": "{count} route", "two": "x"}, kinds={}, steps={})
    other = Words(checks={}, unchecked={}, phrases={"one": "{nombre} route", "drei": "y"}, kinds={}, steps={})
    assert differences(other, english) == ["phrases drei", "phrases one", "phrases two"]


@pytest.mark.parametrize("language", [ENGLISH, *TRANSLATIONS])
def test_sentences_end_as_sentences_and_every_kind_has_a_word(language: str) -> None:
    words = words_in(language)
    for code, entry in words.checks.items():
        assert not entry.title.endswith("."), code
        assert all(text == "" or text.endswith((".", "{hint}")) for text in (entry.text, entry.why, entry.cure)), code
    assert all(text.endswith(".") for text in words.steps.values())
    assert all(kind_text(kind, language) for kind in ObjectKind)


def test_french_has_spaces_that_do_not_break_where_it_needs_them() -> None:
    texts = [text for _, text in sentences(words_in("fr"))]
    assert [text for text in texts if re.search(r" [:;?!»]|« |[^\s\u00a0][;?!»]|[^\s\u00a0]:\s", text)] == []


def mentioned(value: Parameter) -> Iterator[Phrase | NumberedReason]:
    if isinstance(value, tuple):
        for each in value:
            yield from mentioned(each)
    elif isinstance(value, Phrase | NumberedReason):
        yield value
        for each in value.parameters.values():
            yield from mentioned(each)


def test_a_phrase_is_worded_in_the_language_of_its_sentence() -> None:
    finding: Finding = next(each for each in diagnosed(sample_estate()).findings if each.code == "SBD-108")
    assert {each.entry for value in finding.parameters.values() for each in mentioned(value)} >= {"difference", "place"}
    assert "letter case differs: at character" in worded(finding).text
    assert "la casse diffère\u00a0: au caractère" in worded(finding, "fr").text
    assert "Groß- und Kleinschreibung weichen ab: an Zeichen" in worded(finding, "de").text


def test_a_language_without_words_is_said_in_english() -> None:
    finding = diagnosed(sample_estate()).findings[0]
    assert worded(finding, "pt") == worded(finding)


def test_the_lifetime_of_a_step_is_an_instant() -> None:
    renewed = RouteAltered(database="Ventes", name="Vers Lyon", expires_at=1_800_000_000.0)
    assert said(renewed, "de") == "Route Vers Lyon in Datenbank Ventes ändern: LIFETIME bis 2027-01-15 08:00:00 UTC."
    assert said(RouteDropped(database="Ventes", name="Vers Lyon"), "fr") == (
        "Supprimer la route Vers Lyon dans la base de données Ventes."
    )
