"""`check_routes`: files of cases in, a report out. Reads no file itself and asks no clock."""

from __future__ import annotations

from collections.abc import Mapping

from engine.route_check.answers import answer_of
from engine.route_check.cases import Case
from engine.route_check.coverage import Coverage
from engine.route_check.reading import read_cases
from engine.route_check.report import RouteCheckReport
from engine.route_check.tree import Fault
from engine.route_check.verdict import verdict_on
from engine.route_check.world import every_decision


def check_routes(files: Mapping[str, str]) -> RouteCheckReport:
    """Run the cases of `files`, texts in YAML by the name to show; with a fault in any of them nothing is run."""
    cases: list[Case] = []
    faults: list[Fault] = []
    warnings: list[Fault] = []
    for name, text in files.items():
        found = read_cases(name, text)
        cases += found[0]
        faults += found[1]
        warnings += found[2]
    if faults:
        return RouteCheckReport(faults=tuple(faults), warnings=tuple(warnings))
    coverage = Coverage()
    results = []
    for case in cases:
        answers = [answer_of(case, weight, decision) for weight, decision in every_decision(case)]
        coverage.add(case, answers)
        results.append(verdict_on(case, answers))
    return RouteCheckReport(cases=tuple(results), routes=coverage.results(), warnings=tuple(warnings))
