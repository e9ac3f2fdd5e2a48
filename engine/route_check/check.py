"""`check_routes`: files of cases in, a report out. Reads no file itself and asks no clock."""

from __future__ import annotations

from collections.abc import Mapping

from engine.route_check.answers import answer_of
from engine.route_check.cases import Case
from engine.route_check.coverage import Coverage
from engine.route_check.ends import Ends
from engine.route_check.reading import read_cases
from engine.route_check.report import RouteCheckReport
from engine.route_check.tree import Fault, numbered
from engine.route_check.verdict import verdict_on


def check_routes(files: Mapping[str, str]) -> RouteCheckReport:
    """Run the cases of `files`, texts in YAML by the name to show; with a fault in any of them nothing is run.

    A text may say anything, and what is wrong with it is a fault in the report. TypeError when `files` is no mapping
    of texts: then the caller is wrong, and nothing is read.
    """
    _check_types(files)
    cases: list[Case] = []
    faults: list[Fault] = []
    warnings: list[Fault] = []
    for name, text in files.items():
        found = read_cases(name, text)
        cases += found[0]
        faults += map(numbered, found[1])
        warnings += found[2]
    if faults:
        return RouteCheckReport(faults=tuple(faults), warnings=tuple(warnings))
    coverage = Coverage()
    results = []
    for case in cases:
        ends = Ends(case)
        coverage.add(case, ends.all)
        results.append(verdict_on(case, ends, [answer_of(case, end) for end in ends.all]))
    return RouteCheckReport(cases=tuple(results), routes=coverage.results(), warnings=tuple(warnings))


def _check_types(files: object) -> None:
    """Callers are not all type-checked; what they passed is named rather than what stumbled over it."""
    if not isinstance(files, Mapping):
        raise TypeError(f"check_routes takes a mapping of file names to texts, not {_kind_of(files)}")
    for name, text in files.items():
        if not isinstance(name, str):
            raise TypeError(f"check_routes takes file names that are str, not {_kind_of(name)}")
        if not isinstance(text, str):
            raise TypeError(f"check_routes takes texts that are str; that of {name!r} is {_kind_of(text)}")


def _kind_of(value: object) -> str:
    return "None" if value is None else type(value).__name__
