"""Expectations and outcomes in words, in a language."""

from __future__ import annotations

from collections.abc import Sequence

from engine.assertions.assertion import Aspect, End, Expectation, Outcome, PathStep
from engine.whatif.disposition import ARRIVED
from engine.whatif.wording import end_text
from engine.whatif.words import ENGLISH, clauses, either, per_cent, said


def expected_text(expected: Expectation, language: str = ENGLISH) -> str:
    """What is claimed: "works, reaches LYON/Archives".

    That a message does not work is said by an end at which nothing arrives; where it arrives, by its acknowledgement.
    """
    parts = []
    is_implied = expected.works is False and expected.disposition is not None
    if expected.works is not None and not is_implied:
        parts.append(_word(language, "works" if expected.works else "does_not_work"))
    if expected.disposition is not None:
        parts.append(said(language, "end_words", expected.disposition.value))
    if expected.reaches:
        parts.append(_word(language, "reaches", places=either(language, list(map(str, expected.reaches)))))
    if expected.path is not None:
        parts.append(_word(language, "by_path", path=path_text(expected.path, language)))
    if expected.number is not None:
        parts.append(_word(language, "number", number=expected.number))
    if is_implied and expected.disposition in ARRIVED:
        parts.append(_word(language, "unheard"))
    return ", ".join(parts) or _word(language, "nothing_expected")


def outcome_text(outcome: Outcome, failed: Sequence[Aspect] = (), language: str = ENGLISH) -> str:
    """What comes of it, every way; with its path where that is what failed."""
    is_one, with_path = len(outcome.ends) == 1, Aspect.PATH in failed
    parts = [_end_said(end, language, with_path=with_path, is_one=is_one) for end in outcome.ends]
    parts = parts or [_word(language, "sets_out")]
    if outcome.followed < 1.0 and outcome.ends:
        parts.append(_word(language, "not_followed", percent=per_cent(language, 1.0 - outcome.followed, digits=4)))
    if not outcome.works and any(end.disposition in ARRIVED for end in outcome.ends):
        parts.append(_word(language, "unheard"))
    return clauses(language, parts)


def path_text(path: Sequence[PathStep], language: str = ENGLISH) -> str:
    """The decisions of a way."""
    return " → ".join(_step(step, language) for step in path) or _word(language, "no_decision")


def _step(step: PathStep, language: str) -> str:
    names = [name for name in (step.instance, step.database) if name is not None]
    return " ".join(filter(None, ("/".join(names), step.route or _word(language, "no_route"))))


def _end_said(end: End, language: str, *, with_path: bool, is_one: bool) -> str:
    text = end_text(end.disposition, end.instance, end.database, end.number, end.further, language=language)
    if with_path:
        text = _word(language, "way", end=text, path=path_text(end.path, language))
    return text if is_one else f"{per_cent(language, end.share)} {text}"


def _word(language: str, name: str, **parameters: object) -> str:
    return said(language, "assertions", name, **parameters)
