"""What `training_check` prints: a line for each way through a scenario, and under it what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine import api as engine

Kind = engine.training.TryKind
_NAMES = {Kind.START: "start", Kind.WAITING: "waiting", Kind.SOLUTION: "solution", Kind.WRONG_TURN: "wrong turn"}
_NAME_WIDTH, _WAY_WIDTH = 34, 13


def told_fault(fault: str) -> str:
    """A mistake of a file."""
    return _printable(f"error   {fault}")


def told_row(
    name: str, scenario: engine.training.Scenario, found: engine.training.Try, language: str | None
) -> Iterator[str]:
    """One way; with a language, what a trainee is told of each task."""
    way = _NAMES[found.kind] + (f" {found.number}" if found.number else "")
    score = "   —  " if found.grading is None else f"{found.grading.score:3d} %"
    points = "" if found.grading is None else _points(found.grading)
    verdict = "ok     " if found.passed else "FAILED "
    yield _printable(f"{verdict} {Path(name).stem:{_NAME_WIDTH}} {way:{_WAY_WIDTH}} {score}  {points}".rstrip())
    if language is not None and found.grading is not None:
        for task in found.grading.tasks:
            yield _printable(f"          {task.id}: {task.sentence.of(language)}")
    if not found.passed:
        place = name if found.problem_line is None else f"{name}:{found.problem_line}"
        yield _printable(f"        {place}: {found.problem}")


def told_sum(files: int, ways: int, failures: int) -> str:
    """The last line."""
    named = "file" if files == 1 else "files"
    return f"{files} {named}: {ways} ways, {ways - failures} as they should be, {failures} not."


def _points(grading: engine.training.Grading) -> str:
    """Points of each task, and what was broken."""
    told = [f"{task.id} {task.points:g}/{task.points_max}" for task in grading.tasks]
    return ", ".join([*told, *([f"broken {len(grading.collateral)}"] if grading.collateral else [])])


def _printable(line: str) -> str:
    """A file may say anything; a line stays one line and moves no cursor."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in line)
