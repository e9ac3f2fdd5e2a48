"""Sentences of what-ifs: every language has all of them, and a decision is told in the language of the reader."""

import re
from collections.abc import Iterator
from enum import StrEnum

import pytest

from engine.core.routing.decision import Caution, LossReason
from engine.core.routing.precedence import CHOOSE_RULES, MATCH_RULES
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.phrasebook import placeholders
from engine.core.vocabulary.translations import TRANSLATIONS
from engine.route_check.never import NeverReason
from engine.whatif.answering import ask
from engine.whatif.disposition import Disposition
from engine.whatif.faults import FaultKind
from engine.whatif.fingerprint import fingerprint
from engine.whatif.flows import possible_flows
from engine.whatif.telling import ToldAnswer
from engine.whatif.words import ENGLISH, either, per_cent, percent, rule_in, said, sentences_in
from tests.support.diagnosed_estates import sample_estate
from tests.support.random_estates import NOW

ALL = (ENGLISH, *TRANSLATIONS)
WORDED: dict[str, type[StrEnum]] = {
    "losses": LossReason,
    "cautions": Caution,
    "security_kinds": SecurityKind,
    "never": NeverReason,
    "ends": Disposition,
    "end_words": Disposition,
    "faults": FaultKind,
}
VARIANTS = {"losses": {"expired-at"}, "ends": {"unreachable-named"}}
"""Sentences of a member that are said when more is known."""


def named(language: str) -> dict[str, str]:
    """Every sentence by its place."""
    sections = sentences_in(language)
    return {f"{section} {name}": text for section, said in sections.items() for name, text in said.items()}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_language_has_every_sentence_with_its_parameters(language: str) -> None:
    ours, english = named(language), named(ENGLISH)
    assert list(ours) == list(english)
    assert [place for place in ours if placeholders(ours[place]) != placeholders(english[place])] == []
    assert [place for place in ours if ours[place] == english[place] and re.search("[a-z]{3} [a-z]", ours[place])] == []


@pytest.mark.parametrize("section", WORDED)
def test_every_member_has_its_sentence(section: str) -> None:
    members = {member.value for member in WORDED[section]}
    assert set(sentences_in(ENGLISH)[section]) == members | VARIANTS.get(section, set())


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_step_of_routing_is_said_in_every_language(language: str) -> None:
    for step in (*MATCH_RULES, *CHOOSE_RULES):
        ours, english = rule_in(language, step), rule_in(ENGLISH, step)
        assert ours.condition not in ("", english.condition)
        assert ours.effect not in ("", english.effect)
        # Numbers that a step leads to are the same everywhere.
        assert re.findall(r"\d+", ours.effect) == re.findall(r"\d+", english.effect)


def test_french_has_spaces_that_do_not_break_where_it_needs_them() -> None:
    rules = [rule_in("fr", step) for step in (*MATCH_RULES, *CHOOSE_RULES)]
    texts = [*named("fr").values(), *(part for rule in rules for part in (rule.condition, rule.effect))]
    assert [text for text in texts if re.search(r" [:;?!»%]|« |[^\s\u00a0][;?!»]|[^\s\u00a0]:\s|'", text)] == []


def test_german_quotes_as_german_does() -> None:
    assert [text for text in named("de").values() if re.search(r"'|»|[^\u00a0]%", text)] == []


@pytest.mark.parametrize(
    ("language", "share", "items", "written"),
    [("en", "33.33", "A, B or C", "A"), ("fr", "33,33", "A, B ou C", "A"), ("de", "33,33", "A, B oder C", "A")],
)
def test_shares_and_lists_are_written_as_the_language_does(language: str, share: str, items: str, written: str) -> None:
    assert percent(language, 1 / 3) == share
    assert either(language, ["A", "B", "C"]) == items
    assert either(language, ["A"]) == written
    assert per_cent(language, 0.3333, digits=1) == ("33.3%" if language == "en" else "33,3\u00a0%")


def test_one_route_is_told_in_the_singular() -> None:
    assert said("en", "steps", "one_other", count=1) == "1 more route names quite another service."
    assert said("fr", "steps", "one_other", count=1) == "1 autre route nomme un tout autre service."


def test_a_language_without_sentences_is_said_in_english() -> None:
    assert sentences_in("pt") == sentences_in(ENGLISH)


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def answers(language: str) -> Iterator[ToldAnswer]:
    """What comes of every flow of an estate in which much is wrong."""
    estate = sample_estate()
    for flow in possible_flows(estate):
        yield ask(estate, flow, at=NOW, language=language)


def lines(answer: ToldAnswer) -> list[str]:
    """Its proofs and the losses beside them."""
    hops = [hop for leg in answer.legs for way in leg.ways for hop in way.hops]
    return [line for hop in hops for line in (*hop.proof, *(loss.sentence for loss in hop.losses))]


def test_the_fingerprint_of_an_answer_does_not_depend_on_the_language() -> None:
    by_language = [list(answers(language)) for language in ALL]
    assert by_language[0]
    for told in zip(*by_language, strict=True):
        assert len({fingerprint(each) for each in told}) == 1
        proofs = {tuple(lines(each)) for each in told}
        assert len(proofs) == (len(ALL) if lines(told[0]) else 1)


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_no_line_of_a_proof_is_left_in_english_or_with_a_bare_brace(language: str) -> None:
    for english, other in zip(answers(ENGLISH), answers(language), strict=True):
        ours, theirs = lines(other), lines(english)
        assert len(ours) == len(theirs)
        assert [line for line, same in zip(ours, theirs, strict=True) if line == same or "{" in line] == []
