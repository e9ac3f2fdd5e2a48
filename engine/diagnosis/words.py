"""The words of the findings, from `findings.toml` and its translations `findings.LANGUAGE.toml`, and nowhere else.

A finding names an entry and carries what fills it; `worded` says it in a language. A translation holds the same
entries with the same parameters; severities and numbers stand in the English file alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib import resources

import msgspec

from engine.core.vocabulary.errors import catalogue
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.translations import TRANSLATIONS, catalogue_in
from engine.diagnosis.finding import (
    Finding,
    InstanceFix,
    NumberedReason,
    ObjectKind,
    Parameter,
    Phrase,
    Severity,
    Subject,
)

ENGLISH = "en"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check, or a variant of one. A variant takes from its check what it does not say itself."""

    severity: Severity | None = None
    number: int | None = None
    title: str = ""
    text: str = ""
    why: str = ""
    cure: str = ""


class UncheckedEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check of the specification that definitions alone cannot decide."""

    title: str
    reason: str


class Words(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything a diagnosis says in one language."""

    checks: dict[str, Entry]
    unchecked: dict[str, UncheckedEntry]
    phrases: dict[str, str]
    kinds: dict[ObjectKind, str]
    steps: dict[str, str]
    """What a proposed change does, by the tag of the change."""


class WordedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as somebody reads it."""

    title: str
    """The rule, in a few words."""
    text: str
    """What is wrong, with the names in it."""
    why: str
    cure: str


class Unchecked(msgspec.Struct, frozen=True, kw_only=True):
    """A check that definitions alone cannot decide, and why, as somebody reads it."""

    code: str
    title: str
    reason: str


@cache
def words_in(language: str) -> Words:
    """What is said in a language; in English for one that there are no words in."""
    name = f"findings.{language}.toml" if language in TRANSLATIONS else "findings.toml"
    source = resources.files("engine.diagnosis").joinpath(name).read_text("utf-8")
    return msgspec.convert(tomllib.loads(source), Words)


def entries(language: str = ENGLISH) -> dict[str, Entry]:
    """Every check by code, and every variant by `code/variant`."""
    return words_in(language).checks


def unchecked_codes() -> tuple[str, ...]:
    """The checks that definitions alone cannot decide."""
    return tuple(sorted(words_in(ENGLISH).unchecked))


def unchecked(language: str = ENGLISH) -> tuple[Unchecked, ...]:
    """What definitions alone cannot decide."""
    known = words_in(language).unchecked
    return tuple(Unchecked(code=code, title=known[code].title, reason=known[code].reason) for code in unchecked_codes())


def finding(
    entry: str,
    subject: Subject,
    *,
    further: tuple[Subject, ...] = (),
    fix: tuple[InstanceFix, ...] = (),
    about: str = "",
    **parameters: object,
) -> Finding:
    """A finding under an entry; `parameters` fill the braces of its words: phrases, numbers, else names."""
    known = entries()
    check, said = known[entry.partition("/")[0]], known[entry]
    severity = said.severity or check.severity
    assert severity is not None, f"{entry} has no severity"
    return Finding(
        entry=entry,
        parameters=_plain(parameters),
        number=said.number or check.number,
        severity=severity,
        subject=subject,
        further=further,
        fix=fix,
        about=about,
    )


def phrase(entry: str, **parameters: object) -> Phrase:
    """Words inside a sentence."""
    return Phrase(entry, _plain(parameters))


def instant(at: UtcTime) -> Phrase:
    """An instant inside a sentence, whatever the calendar can say of it."""
    try:
        return phrase("instant", instant=f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}")
    except (OverflowError, ValueError, OSError):
        return phrase("seconds_after_1970", seconds=int(at))


def _plain(parameters: Mapping[str, object]) -> dict[str, Parameter]:
    return {name: _parameter(value) for name, value in parameters.items()}


def _parameter(value: object) -> Parameter:
    if isinstance(value, tuple):
        return tuple(map(_parameter, value))
    # Enumerations and identifiers are texts of their own classes: what is kept is the text itself.
    return value if isinstance(value, Phrase | NumberedReason) or type(value) is int else str(value)


def phrase_text(said: Phrase, language: str = ENGLISH) -> str:
    """A phrase in a language, by itself."""
    return _said(said, language)


def worded(found: Finding, language: str = ENGLISH) -> WordedFinding:
    """A finding in a language."""
    known = entries(language)
    check, said = known[found.code], known[found.entry]
    filled = _filled(found.parameters, language)
    return WordedFinding(
        title=said.title or check.title,
        text=(said.text or check.text).format_map(filled),
        why=(said.why or check.why).format_map(filled),
        cure=(said.cure or check.cure).format_map(filled),
    )


def kind_text(kind: ObjectKind, language: str = ENGLISH) -> str:
    """What kind of object a subject is."""
    return words_in(language).kinds[kind]


def subject_text(subject: Subject, language: str = ENGLISH) -> str:
    """An object with its kind and its place."""
    words = words_in(language)
    if subject.database is not None and subject.kind is not ObjectKind.DATABASE:
        pattern = "subject_of_database"
    else:
        pattern = "subject_alone" if subject.name == subject.instance else "subject_of_instance"
    return words.phrases[pattern].format(
        kind=words.kinds[subject.kind], name=subject.name, instance=subject.instance, database=subject.database
    )


def _filled(parameters: Mapping[str, Parameter], language: str) -> dict[str, str]:
    return {name: _said(value, language) for name, value in parameters.items()}


def _said(value: Parameter, language: str) -> str:
    if isinstance(value, tuple):
        # Phrases may have commas of their own.
        between = "; " if any(isinstance(each, Phrase) for each in value) else ", "
        return between.join(_said(each, language) for each in value)
    if isinstance(value, Phrase):
        return words_in(language).phrases[value.entry].format_map(_filled(value.parameters, language))
    if isinstance(value, NumberedReason):
        filled = _filled(value.parameters, language)
        entry = catalogue_in(language).get(value.number, catalogue()[value.number])
        return f"{value.number}: {entry.text.format_map(filled)}"
    return str(value)
