"""Numbered errors at their places in a script."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.errors import BrokerError, CatalogError
from engine.tsql.statement_base import Place
from engine.tsql.statements import Problem, Script


def problem_of(error: BrokerError, file: str, place: Place) -> Problem:
    """A numbered error at its place in a script."""
    return Problem(
        file=file,
        line=place.line,
        column=place.column,
        number=error.number,
        text=error.text,
        why=error.why,
        cure=error.cure,
        parameters=error.parameters,
    )


def with_null_character(script: Script, text: str) -> Script:
    """The script with one problem more if its text has U+0000, at which what runs statements ends (102)."""
    at = text.find("\0")
    if at < 0:
        return script
    place = Place(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
    found = problem_of(CatalogError(102, found="U+0000", expected="T-SQL"), script.name, place)
    others = [each for each in script.problems if (each.line, each.column) != (found.line, found.column)]
    problems = sorted([*others, found], key=lambda problem: (problem.line, problem.column))
    return msgspec.structs.replace(script, problems=tuple(problems))
