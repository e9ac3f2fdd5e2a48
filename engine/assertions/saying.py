"""Expectations and outcomes in English words; pages word the same values themselves."""

from __future__ import annotations

from collections.abc import Sequence

from engine.assertions.assertion import Aspect, End, Expectation, Outcome, PathStep
from engine.whatif.disposition import ARRIVED
from engine.whatif.wording import end_text


def expected_text(expected: Expectation) -> str:
    """What is claimed: "works, reaches LYON/Archives"."""
    parts = [] if expected.works is None else ["works" if expected.works else "does not work"]
    if expected.disposition is not None:
        parts.append(expected.disposition.value)
    if expected.reaches:
        parts.append("reaches " + " or ".join(map(str, expected.reaches)))
    if expected.path is not None:
        parts.append("by " + path_text(expected.path))
    if expected.number is not None:
        parts.append(f"number {expected.number}")
    return ", ".join(parts) or "nothing"


def outcome_text(outcome: Outcome, failed: Sequence[Aspect] = ()) -> str:
    """What comes of it, every way; with its path where that is what failed."""
    parts = [_end_said(end, with_path=Aspect.PATH in failed, is_one=len(outcome.ends) == 1) for end in outcome.ends]
    text = "; ".join(parts) or "nothing sets out"
    if outcome.followed < 1.0 and outcome.ends:
        text = f"{text}; {1.0 - outcome.followed:.4%} of all draws were not followed"
    if not outcome.works and any(end.disposition in ARRIVED for end in outcome.ends):
        text = f"{text}; no acknowledgement finds its way back"
    return text


def path_text(path: Sequence[PathStep]) -> str:
    """The decisions of a way."""
    return " → ".join(map(str, path)) or "no decision"


def _end_said(end: End, *, with_path: bool, is_one: bool) -> str:
    text = end_text(end.disposition, end.instance, end.database, end.number, end.further)
    if with_path:
        text = f"{text} by {path_text(end.path)}"
    return text if is_one else f"{end.share:.0%} {text}"
