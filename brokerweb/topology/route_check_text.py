"""The report of `route_check` as lines for a terminal.

Names, ids and faults repeat what a file says, and a file may say anything. What is not printable is escaped, so that a
line is one line, and nothing on it moves the cursor or changes what was printed before.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.api import CaseResult, RouteCheckReport, RouteResult


def told(report: RouteCheckReport, *, with_proof: bool = False) -> Iterator[str]:
    """The whole report; nothing of cases and routes when a file is at fault."""
    return map(_printable, _told(report, with_proof))


def told_beside(report: RouteCheckReport) -> Iterator[str]:
    """What the list of cases does not say: faults and warnings of the files, and the coverage of the routes."""
    return map(_printable, (*_of_files(report), *(() if report.faults else _of_routes(report.routes))))


def _printable(line: str) -> str:
    return line if line.isprintable() else "".join(_visible(letter) for letter in line)


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")


def _told(report: RouteCheckReport, with_proof: bool) -> Iterator[str]:
    yield from _of_files(report)
    if report.faults:
        return
    for case in report.cases:
        yield from _case(case, with_proof or not case.passed)
    yield from _of_routes(report.routes)
    passed = len(report.cases) - report.failures
    yield f"{_count(len(report.cases), 'case')}: {passed} passed, {report.failures} failed."


def _of_files(report: RouteCheckReport) -> Iterator[str]:
    """What is wrong or odd about the files themselves."""
    for warning in report.warnings:
        yield f"warning {warning}"
    for fault in report.faults:
        yield f"error   {fault}"
    if report.faults:
        yield f"Nothing was run: {_count(len(report.faults), 'fault')}."


def _case(case: CaseResult, with_proof: bool) -> Iterator[str]:
    by = f", route {case.chosen}" if case.chosen is not None else ""
    to = f" to {case.address}" if case.address is not None and case.outcome in ("send", "forward") else ""
    ends = f", one of {len(case.alternatives)} ends in turn" if case.alternatives else ""
    verdict = "ok     " if case.passed else "FAILED "
    step = "no routing table read" if case.match_step is None else f"match step {case.match_step}"
    yield f"{verdict} {case.id}: {case.outcome}{to}{by}, {step}{ends}"
    if not case.passed:
        yield f"        at {case.file}:{case.line}"
    for note in case.notes:
        yield f"        note: {note}"
    if with_proof:
        for line in case.proof:
            yield f"        {line}"


def _of_routes(routes: tuple[RouteResult, ...]) -> Iterator[str]:
    """The coverage: which routes no case asks for, and which no conversation at all is ever given."""
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
