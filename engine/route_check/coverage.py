"""Which routes the cases have exercised, and which can never win whatever is asked.

Whether a route can win is not reasoned here: the router itself is asked, with conversations that represent all there
are. For a route these differ in whether they name its service, its broker id, none or another; in whether the service
is in this instance; and in whether the configuration service was already asked for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import msgspec

from engine.core.catalog.route import Route
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import ClassifierDecision, LossReason
from engine.core.routing.draws import Branch
from engine.core.routing.precedence import CHOOSE_RULES, ChooseStep
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MSDB, DatabaseName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.route_check.answers import Answer
from engine.route_check.cases import HOME, NOW, Case, DatabaseCase, Expectation, unowned_id
from engine.route_check.report import RouteResult
from engine.route_check.world import Follower, instance_of

DATABASE: Final = "database"
_TABLES: Final = {DATABASE: HOME, "msdb": MSDB}
_FRESH_ID: Final = unowned_id("an id that no route names")

Table = tuple[Route, ...]


class _Seen(msgspec.Struct):
    """What is known of one route so far."""

    file: str
    line: int
    tables: dict[Table, None]
    cases: int = 0
    has_won: bool = False


class Coverage:
    """Gathers what the cases ask of their routes."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Route], _Seen] = {}

    def add(self, case: Case, answers: list[Answer]) -> None:
        """Count a case that was run."""
        lines = iter(case.route_lines)
        for kind, routes in ((DATABASE, case.home_routes), ("msdb", case.msdb_routes)):
            decisions = _decisions_by(_TABLES[kind], answers)
            candidates = {name for decision in decisions for name in decision.candidates}
            winners = {decision.route.name for decision in decisions if decision.route is not None}
            for route in routes:
                seen = self._seen.get((kind, route))
                line = next(lines)
                if seen is None:
                    seen = self._seen[kind, route] = _Seen(case.file, line, {})
                seen.tables[routes] = None
                seen.cases += route.name in candidates
                seen.has_won = seen.has_won or route.name in winners

    def results(self) -> tuple[RouteResult, ...]:
        """Every route once, in order of appearance."""
        return tuple(self._result(kind, route, seen) for (kind, route), seen in self._seen.items())

    def _result(self, kind: str, route: Route, seen: _Seen) -> RouteResult:
        reason = None if seen.has_won else _why_never(kind, route, list(seen.tables))
        return RouteResult(
            table=kind,
            name=route.name,
            file=seen.file,
            line=seen.line,
            cases=seen.cases,
            can_win=reason is None,
            reason=reason,
        )


def _decisions_by(table: DatabaseName, answers: list[Answer]) -> list[ClassifierDecision]:
    both = [each for answer in answers for each in (answer.decision, answer.decision.via) if each is not None]
    return [decision for decision in both if decision.table == table]


def _why_never(kind: str, route: Route, tables: list[Table]) -> str | None:
    """Why a route wins in none of its tables; None when it does in one."""
    if not is_live(route, NOW):
        return "it has expired"
    reason: str | None = None
    for table in tables:
        reason_here = _why_never_here(kind, route, table)
        if reason_here is None:
            return None
        reason = reason or reason_here
    return reason


def _why_never_here(kind: str, route: Route, table: Table) -> str | None:
    lost: ClassifierDecision | None = None
    for decision in _represented(kind, route, table):
        if decision.route is not None and decision.route.name == route.name:
            return None
        if lost is None and route.name in decision.candidates and decision.route is not None:
            lost = decision
    assert lost is not None, "a live route answers to its own service and id"
    assert lost.route is not None, "only where a route was chosen can another have lost"
    for loss in lost.losses:
        if loss.route == route.name and loss.reason is LossReason.COUNTS_AS_ONE:
            return f"it counts as one with {loss.parameter}"
    step = ChooseStep(lost.choose_step or 0)
    return f"it is outranked by {lost.route.name} (choose step {int(step)}: {CHOOSE_RULES[step].condition})"


def _represented(kind: str, route: Route, table: Table) -> Iterator[ClassifierDecision]:
    """The decisions of the router about conversations that represent all to which the route could answer."""
    services = _services(route, table)
    ids = dict.fromkeys((route.broker_instance, None, _FRESH_ID))
    for is_hosted in (True, False):
        follower = Follower()
        classifier = MessageClassifier(instance_of(_case(kind, table, services if is_hosted else ())), draws=follower)
        for is_pending, service, broker in product((False, True), services, ids):
            classifier.pending = {(_TABLES[kind], service)} if is_pending else set()
            target = DialogTarget(service, broker)
            answers: list[int] | None = []
            while answers is not None:
                follower.branch = Branch(answers)
                if kind == DATABASE:
                    yield classifier.from_inside(HOME, target, NOW)
                else:
                    yield classifier.from_outside(target, NOW, from_target=False)
                answers = follower.branch.next_answers()


def _services(route: Route, table: Table) -> tuple[ServiceName, ...]:
    if route.service_name is not None:
        return (route.service_name,)
    fresh = "a service that no route names"
    while any(each.service_name is not None and each.service_name.endswith(fresh) for each in table):
        fresh += "'"
    return ServiceName(fresh), ServiceName(f"tcp://host.example:4022/{fresh}")


def _case(kind: str, table: Table, hosted: tuple[ServiceName, ...]) -> Case:
    home, msdb = (table, ()) if kind == DATABASE else ((), table)
    return Case(
        id="",
        file="",
        line=0,
        home_routes=home,
        msdb_routes=msdb,
        forwarding=True,
        service=ServiceName(""),
        databases=(DatabaseCase(name=DatabaseName("a host"), services=hosted),),
        expected=Expectation(text=""),
    )
