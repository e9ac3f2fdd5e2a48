"""Which routes the cases have exercised, and which can never win whatever is asked.

Whether a route can win is not reasoned here: the router itself is asked, with the conversations that favour the route
most. They name its service and its broker id, and the configuration service was already asked for them; whatever
another conversation finds among the candidates with the route, these find too. Whether the service is in this
instance can favour either side, so both are asked.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.route import Route
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import ClassifierDecision, LossReason, RouteLoss
from engine.core.routing.table import is_live
from engine.core.vocabulary.identifiers import MSDB, BrokerInstanceId, DatabaseName, RouteName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.route_check.cases import HOME, NOW, Case, DatabaseCase, Expectation
from engine.route_check.ends import Candidates, End, Follower
from engine.route_check.never import NeverReason, NeverWins, never_text
from engine.route_check.report import RouteResult
from engine.route_check.world import instance_of

DATABASE: Final = "database"
_TABLES: Final = {DATABASE: HOME, "msdb": MSDB}

Routes = tuple[Route, ...]

_Conversation = tuple[int, ServiceName, BrokerInstanceId | None]
"""Which of the two instances is asked, for which service and broker id."""


class _Seen(msgspec.Struct):
    """What is known of one route so far."""

    file: str
    line: int
    tables: dict[int, Table]
    """The tables in which it stands, by their numbers."""
    cases: int = 0
    has_won: bool = False


class _Lost(msgspec.Struct, frozen=True, kw_only=True):
    """Who won the first end of a conversation, and the other candidates by their names."""

    winner: Route | None
    choose_step: int
    by_name: dict[str, RouteLoss]


class Coverage:
    """Gathers what the cases ask of their routes."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Route], _Seen] = {}
        self._tables: dict[tuple[str, Routes], Table] = {}

    def add(self, case: Case, ends: list[End]) -> None:
        """Count a case that was run."""
        lines = iter(case.route_lines)
        for kind, routes in ((DATABASE, case.home_routes), ("msdb", case.msdb_routes)):
            if not routes:
                continue
            table = self._tables.setdefault((kind, routes), Table(len(self._tables), kind, routes))
            candidates, winners = _exercised(_TABLES[kind], ends)
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
            reason=None if reason is None else never_text(reason),
        )


def _exercised(table: DatabaseName, ends: list[End]) -> tuple[set[str], set[str]]:
    """The names of those routes of a table that were candidates, and of those that were chosen."""
    sets: set[Candidates] = set()
    winners: set[str] = set()
    for end in ends:
        for decision, candidates in ((end.decision, end.candidates), (end.decision.via, end.via_candidates)):
            if decision is not None and candidates is not None and decision.table == table:
                sets.add(candidates)
                if decision.route is not None:
                    winners.add(decision.route.name)
    return {name for candidates in sets for name in candidates.names}, winners


def _why_never(route: Route, tables: list[Table]) -> NeverWins | None:
    """Why a route wins in none of its tables; None when it does in one."""
    if not is_live(route, NOW):
        return NeverWins(reason=NeverReason.EXPIRED)
    reason: NeverWins | None = None
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
        # Routes of one service share their conversations: each is put to the router once, not once for each route.
        self._winners: dict[_Conversation, frozenset[str]] = {}
        self._lost: dict[_Conversation, _Lost] = {}

    def why_never(self, route: Route) -> NeverWins | None:
        """Why the route never wins, whatever is asked of this table; None when it can win."""
        service = route.service_name if route.service_name is not None else self._fresh()
        asked = [(at, service, route.broker_instance) for at in range(len(self._asked()))]
        if any(route.name in self._winners_of(conversation) for conversation in asked):
            return None
        lost = next(
            lost for lost in map(self._lost_of, asked) if route.name in lost.by_name and lost.winner is not None
        )
        loss = lost.by_name[route.name]
        if loss.reason is LossReason.COUNTS_AS_ONE:
            return NeverWins(reason=NeverReason.COUNTS_AS_ONE, other=RouteName(str(loss.parameter)))
        assert lost.winner is not None, "only where a route was chosen can another have lost"
        return NeverWins(reason=NeverReason.OUTRANKED, other=lost.winner.name, step=lost.choose_step)

    def _winners_of(self, conversation: _Conversation) -> frozenset[str]:
        """The routes that are chosen in any end of a conversation."""
        known = self._winners.get(conversation)
        if known is not None:
            return known
        found: set[str] = set()
        answers: list[int] | None = []
        while answers is not None:
            self._follower.follow(answers)
            decision = self._decide(conversation, explain=False)
            if decision.route is not None:
                found.add(decision.route.name)
            answers = self._follower.branch.next_answers()
        self._winners[conversation] = frozenset(found)
        return self._winners[conversation]

    def _lost_of(self, conversation: _Conversation) -> _Lost:
        """The candidates that lost in the first end of a conversation, each with its clause."""
        if conversation not in self._lost:
            self._follower.follow(())
            decision = self._decide(conversation, explain=True)
            candidates = frozenset(decision.candidates)
            self._lost[conversation] = _Lost(
                winner=decision.route,
                choose_step=decision.choose_step or 0,
                by_name={loss.route: loss for loss in decision.losses if loss.route in candidates},
            )
        return self._lost[conversation]

    def _decide(self, conversation: _Conversation, *, explain: bool) -> ClassifierDecision:
        at, service, broker = conversation
        classifier, target = self._asked()[at], DialogTarget(service, broker)
        classifier.pending = {(_TABLES[self._kind], service)}
        if self._kind == DATABASE:
            return classifier.from_inside(HOME, target, NOW, explain=explain)
        return classifier.from_outside(target, NOW, from_target=False, explain=explain)

    def _asked(self) -> tuple[MessageClassifier, ...]:
        if not self._classifiers:
            named = [route.service_name for route in self._routes if route.service_name is not None]
            hosted = tuple(dict.fromkeys((*named, self._fresh())))
            self._classifiers = tuple(
                MessageClassifier(instance_of(_case(self._kind, self._routes, services)), draws=self._follower)
                for services in (hosted, ())
            )
        return self._classifiers

    def _fresh(self) -> ServiceName:
        """A service that no route names."""
        named = {route.service_name for route in self._routes}
        fresh = ServiceName("a service that no route names")
        while fresh in named:
            fresh = ServiceName(f"{fresh}'")
        return fresh


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
