"""`worded`: a result in a language, also one that was kept for long in another."""

from __future__ import annotations

import msgspec

from engine.assertions.assertion import AssertionResult
from engine.assertions.saying import expected_text, outcome_text
from engine.whatif.deciding import proof_in
from engine.whatif.numbering import told_number
from engine.whatif.telling import ToldNumber
from engine.whatif.words import ENGLISH, said


def worded(result: AssertionResult, language: str = ENGLISH) -> AssertionResult:
    """The result with every sentence of it in a language, made of the codes that it carries."""
    number, outcome = result.number, result.outcome
    told = None if number is None else told_number(number.number, number.parameters, language)
    return msgspec.structs.replace(
        result,
        expected=expected_text(result.assertion.expected, language),
        actual=said(language, "assertions", "not_asked")
        if outcome is None
        else outcome_text(outcome, result.failed, language),
        why="" if told is None else _why(told, is_refused=outcome is None),
        proof=() if result.deciding is None else proof_in(result.deciding, language),
        number=told,
    )


def _why(told: ToldNumber, *, is_refused: bool) -> str:
    return f"{told.number}: {told.text}" if is_refused else f"{told.text}. {told.why}".rstrip()
