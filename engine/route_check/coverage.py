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

Routes = tuple[Route, ...]


class _Seen(msgspec.Struct):
    """What is known of one route so far."""

    file: str
    line: int
    tables: dict[int, Table]
    """The tables in which it stands, by their numbers."""
    cases: int = 0
    has_won: bool = False


class Coverage:
    """Gathers what the cases ask of their routes."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Route], _Seen] = {}
        self._tables: dict[tuple[str, Routes], Table] = {}

    def add(self, case: Case, answers: list[Answer]) -> None:
        """Count a case that was run."""
        lines = iter(case.route_lines)
        for kind, routes in ((DATABASE, case.home_routes), ("msdb", case.msdb_routes)):
            if not routes:
                continue
            table = self._tables.setdefault((kind, routes), Table(len(self._tables), kind, routes))
            decisions = _decisions_by(_TABLES[kind], answers)
            candidates = {name for decision in decisions for name in decision.candidates}
            winners = {decision.route.name for decision in decisions if decision.route is not None}
            for route in routes:
                seen = self._seen.get((kind, route))
                line = next(lines)
                if seen is None:
                    seen = self._seen[kind, route] = _Seen(case.file, line, {})
                seen.tables[table.number] = table
                seen.cases += route.name in candidates
                seen.has_won = seen.has_won or route.name in winners

    def results(self) -> tuple[RouteResult, ...]:
        """Every route once, in order of appearance."""
        return tuple(self._result(kind, route, seen) for (kind, route), seen in self._seen.items())

    def _result(self, kind: str, route: Route, seen: _Seen) -> RouteResult:
        reason = None if seen.has_won else _why_never(route, list(seen.tables.values()))
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


def _why_never(route: Route, tables: list[Table]) -> str | None:
    """Why a route wins in none of its tables; None when it does in one."""
    if not is_live(route, NOW):
        return "it has expired"
    reason: str | None = None
    for table in tables:
        reason_here = table.why_never(route)
        if reason_here is None:
            return None
        reason = reason or reason_here
    return reason


class Table:
    """One table, and the router that is asked about its routes: with all their services in the instance, or none."""

    def __init__(self, number: int, kind: str, routes: Routes) -> None:
        self.number = number
        self._kind = kind
        self._routes = routes
        self._follower = Follower()
        self._classifiers: tuple[MessageClassifier, ...] = ()

    def why_never(self, route: Route) -> str | None:
        """Why the route never wins, whatever is asked of this table; None when it can win."""
        lost: ClassifierDecision | None = None
        for decision in self._represented(route, explain=False):
            if decision.route is not None and decision.route.name == route.name:
                return None
        for decision in self._represented(route, explain=True):
            if route.name in decision.candidates and decision.route is not None:
                lost = decision
                break
        assert lost is not None, "a live route answers to its own service and id"
        assert lost.route is not None, "only where a route was chosen can another have lost"
        for loss in lost.losses:
            if loss.route == route.name and loss.reason is LossReason.COUNTS_AS_ONE:
                return f"it counts as one with {loss.parameter}"
        step = ChooseStep(lost.choose_step or 0)
        return f"it is outranked by {lost.route.name} (choose step {int(step)}: {CHOOSE_RULES[step].condition})"

    def _represented(self, route: Route, *, explain: bool) -> Iterator[ClassifierDecision]:
        """The decisions about conversations that represent all to which the route could answer."""
        services = (route.service_name,) if route.service_name is not None else self._fresh()
        ids = dict.fromkeys((route.broker_instance, None, _FRESH_ID))
        follower = self._follower
        for classifier in self._asked():
            for is_pending, service, broker in product((False, True), services, ids):
                classifier.pending = {(_TABLES[self._kind], service)} if is_pending else set()
                target = DialogTarget(service, broker)
                answers: list[int] | None = []
                while answers is not None:
                    follower.branch = Branch(answers)
                    if self._kind == DATABASE:
                        yield classifier.from_inside(HOME, target, NOW, explain=explain)
                    else:
                        yield classifier.from_outside(target, NOW, from_target=False, explain=explain)
                    answers = follower.branch.next_answers()

    def _asked(self) -> tuple[MessageClassifier, ...]:
        if not self._classifiers:
            named = [route.service_name for route in self._routes if route.service_name is not None]
            hosted = tuple(dict.fromkeys((*named, *self._fresh())))
            self._classifiers = tuple(
                MessageClassifier(instance_of(_case(self._kind, self._routes, services)), draws=self._follower)
                for services in (hosted, ())
            )
        return self._classifiers

    def _fresh(self) -> tuple[ServiceName, ServiceName]:
        """Two services that no route names, one of them beginning with an address."""
        fresh = "a service that no route names"
        while any(route.service_name is not None and route.service_name.endswith(fresh) for route in self._routes):
            fresh += "'"
        return ServiceName(fresh), ServiceName(f"tcp://host.example:4022/{fresh}")


def _case(kind: str, table: Routes, hosted: tuple[ServiceName, ...]) -> Case:
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
