"""The door of the assertions: what `engine.api` hands on."""

from __future__ import annotations

from engine.assertions.assertion import (
    Aspect,
    Assertion,
    AssertionResult,
    End,
    Expectation,
    Outcome,
    PathStep,
    Place,
)
from engine.assertions.coverage import Coverage, RouteCoverage, coverage, never_wins
from engine.assertions.pinning import expectation_of, pin
from engine.assertions.reading import PlacedAssertion, read_assertions, read_files
from engine.assertions.running import Run, run
from engine.assertions.saying import expected_text, outcome_text
from engine.assertions.value_reading import fault_of, instant_of, needs_of
from engine.assertions.wording import worded
from engine.assertions.writing import to_yaml
from engine.route_check.never import NeverReason, NeverWins, never_text

__all__ = [
    "Aspect",
    "Assertion",
    "AssertionResult",
    "Coverage",
    "End",
    "Expectation",
    "NeverReason",
    "NeverWins",
    "Outcome",
    "PathStep",
    "Place",
    "PlacedAssertion",
    "RouteCoverage",
    "Run",
    "coverage",
    "expectation_of",
    "expected_text",
    "fault_of",
    "instant_of",
    "needs_of",
    "never_text",
    "never_wins",
    "outcome_text",
    "pin",
    "read_assertions",
    "read_files",
    "run",
    "to_yaml",
    "worded",
]
