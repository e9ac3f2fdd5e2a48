"""The report of `route_check` as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from engine.api import CaseResult, RouteCheckReport, RouteResult


def told(report: RouteCheckReport, *, with_proof: bool = False) -> Iterator[str]:
    for warning in report.warnings:
        yield f"warning {warning}"
    if report.faults:
        for fault in report.faults:
            yield f"error   {fault}"
        yield f"Nothing was run: {_count(len(report.faults), 'fault')}."
        return
    for case in report.cases:
        yield from _case(case, with_proof or not case.passed)
    yield from _routes(report.routes)
    passed = len(report.cases) - report.failures
    yield f"{_count(len(report.cases), 'case')}: {passed} passed, {report.failures} failed."


def _case(case: CaseResult, with_proof: bool) -> Iterator[str]:
    by = f", route {case.chosen}" if case.chosen is not None else ""
    to = f" to {case.address}" if case.address is not None and case.outcome in ("send", "forward") else ""
    step = f", match step {case.match_step}" if case.match_step is not None else ""
    yield f"{'ok     ' if case.passed else 'FAILED '} {case.id}: {case.outcome}{to}{by}{step}"
    if not case.passed:
        yield f"        at {case.file}:{case.line}"
    for note in case.notes:
        yield f"        note: {note}"
    if with_proof:
        for line in case.proof:
            yield f"        {line}"


def _routes(routes: tuple[RouteResult, ...]) -> Iterator[str]:
    exercised = sum(route.cases > 0 for route in routes)
    yield f"{_count(len(routes), 'route')}: {exercised} exercised."
    for route in routes:
        said = []
        if not route.cases:
            said.append("never exercised")
        if not route.can_win:
            said.append(f"can never win: {route.reason}")
        if said:
            yield f"        {route.file}:{route.line}: {route.name} in {route.table}: {'; '.join(said)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
