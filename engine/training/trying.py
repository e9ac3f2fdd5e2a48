"""`tried`: a scenario played as its author means it and as he does not, so that he sees what each way is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from engine.sandbox.target import OwnHands
from engine.sim.entropy import Dice, SeededEntropy
from engine.training.grading import FULL, Grading, grade
from engine.training.playing import StepFailed, begin, take_steps
from engine.training.scenario import Scenario, Statements, Step, Wait

SEEDS: Final = (7, 8)
"""A solution that works by chance works by one of them."""


class TryKind(StrEnum):
    """Which way through a scenario."""

    START = "start"
    """Nothing is done."""
    WAITING = "waiting"
    """Nothing is done for as long as the solution takes."""
    SOLUTION = "solution"
    WRONG_TURN = "wrong-turn"


class Try(msgspec.Struct, frozen=True, kw_only=True):
    """One way, and what came of it."""

    kind: TryKind
    number: int
    """Of the wrong turn, from 1; of the seed, for a solution."""
    line: int | None
    """Of the file, where its first statement stands; None where it has none."""
    grading: Grading | None
    """None where it could not be played to the end."""
    problem: str = ""
    """Why it is not as it should be; empty where all is well."""
    problem_line: int | None = None

    @property
    def passed(self) -> bool:
        return not self.problem


def tried(scenario: Scenario) -> Iterator[Try]:
    """All ways that the file tells of: nothing is earned by doing nothing, everything by the solution alone."""
    waited = sum(step.seconds for step in scenario.solution if isinstance(step, Wait))
    yield _tried(scenario, TryKind.START, (), 0)
    yield _tried(scenario, TryKind.WAITING, (Wait(seconds=waited),), 0)
    for number, seed in enumerate(SEEDS, start=1):
        yield _tried(scenario, TryKind.SOLUTION, scenario.solution, number, seed)
    for number, turn in enumerate(scenario.wrong_turns, start=1):
        yield _tried(scenario, TryKind.WRONG_TURN, turn.steps, number)


def _tried(scenario: Scenario, kind: TryKind, steps: Sequence[Step], number: int, seed: int = SEEDS[0]) -> Try:
    line = next((step.line for step in steps if isinstance(step, Statements)), None)
    try:
        played = begin(scenario, seed=seed)
        take_steps(OwnHands(played.sandbox), steps, SeededEntropy(Dice(seed, "trainee")))
    except StepFailed as failed:
        return Try(
            kind=kind, number=number, line=line, grading=None, problem=str(failed), problem_line=failed.file_line
        )
    grading = grade(scenario, played.world)
    return Try(kind=kind, number=number, line=line, grading=grading, problem=_problem(kind, grading), problem_line=line)


def _problem(kind: TryKind, grading: Grading) -> str:
    match kind:
        case TryKind.SOLUTION:
            if grading.is_complete and grading.score == FULL:
                return ""
            return f"the solution is worth {grading.score} per cent, not {FULL}: {_open_in(grading)}"
        case TryKind.WRONG_TURN:
            if not grading.is_complete and grading.score < FULL:
                return ""
            return "a wrong turn that is worth everything is none"
        case TryKind.START | TryKind.WAITING:
            if not grading.achieved and not grading.collateral:
                return ""
            return f"{grading.achieved:g} per cent are earned by doing nothing: {grading.sentence.en}"


def _open_in(grading: Grading) -> str:
    """What is missing, in the words of the tasks and of what broke."""
    told = [task.sentence.en for task in grading.tasks if not task.is_done]
    return " ".join([*told, *(each.text.en for each in grading.collateral)])
