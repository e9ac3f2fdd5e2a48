"""`run`: assertions put to an estate. Those that suppose the same are asked of one snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.assertions.assertion import (
    Aspect,
    Assertion,
    AssertionResult,
    End,
    Outcome,
    PathStep,
)
from engine.assertions.judging import failed_aspects
from engine.assertions.wording import worded
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.answering import spelled
from engine.whatif.deciding import Deciding
from engine.whatif.disposition import Light
from engine.whatif.faults import Fault
from engine.whatif.legs import Leg, Trip, round_trip
from engine.whatif.narrating import Narrator
from engine.whatif.numbering import told_number
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion, ToldNumber
from engine.whatif.tracing import Way

Catalogs = Mapping[InstanceName, InstanceCatalog]
UsedRoute = tuple[InstanceName, DatabaseName, RouteName]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """All of them, and the routes that their messages and acknowledgements took."""

    results: tuple[AssertionResult, ...]
    """In the order in which they were given."""
    used: Mapping[UsedRoute, int]
    """How many assertions took a route."""

    @property
    def failures(self) -> int:
        """How many failed."""
        return sum(not result.passed for result in self.results)


def run(
    assertions: Iterable[Assertion],
    catalogs: Catalogs,
    *,
    at: UtcTime,
    faults: Sequence[Fault] = (),
    language: str = "en",
) -> Run:
    """Every assertion, `at` an instant unless it names its own; `faults` are supposed on top of its own.

    One that asks for what is not there fails with the number of the refusal. Everything is worded in `language`.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    runner = _Runner(given, at, tuple(faults), language)
    results = tuple(runner.result(assertion) for assertion in assertions)
    return Run(results=results, used=runner.used)


class _Runner:
    """Snapshots by what is supposed in them, and the routes that were taken."""

    def __init__(
        self, catalogs: Mapping[InstanceName, InstanceCatalog], at: UtcTime, faults: tuple[Fault, ...], language: str
    ) -> None:
        self._catalogs = catalogs
        self._at = at
        self._faults = faults
        self._language = language
        self._snapshots: dict[tuple[UtcTime, tuple[Fault, ...]], Snapshot] = {}
        self.used: dict[UsedRoute, int] = {}

    def result(self, assertion: Assertion) -> AssertionResult:
        """One assertion."""
        at = self._at if assertion.at is None else assertion.at
        faults = tuple(sorted({*assertion.faults, *self._faults}, key=str))
        try:
            question = spelled(self._catalogs, assertion.question)
            snapshot = self._snapshot(at, faults)
        except CatalogError as refusal:
            return worded(_refused(assertion, refusal), self._language)
        legs = round_trip(snapshot, question, legs=2)
        self._count(legs)
        outcome = _outcome(legs)
        failed = failed_aspects(assertion.expected, outcome)
        number, deciding = self._explained(question, at, faults, failed) if failed else (None, None)
        result = AssertionResult(
            assertion=assertion,
            passed=not failed,
            failed=failed,
            outcome=outcome,
            expected="",
            actual="",
            number=number,
            deciding=deciding,
        )
        return worded(result, self._language)

    def _explained(
        self, question: FlowQuestion, at: UtcTime, faults: tuple[Fault, ...], failed: Sequence[Aspect]
    ) -> tuple[ToldNumber | None, Deciding | None]:
        """The number and what decided: of the way out, or of the way back where only that is at fault."""
        snapshot = Snapshot(self._catalogs, at=at, faults=faults, explain=True)
        trip = Trip(snapshot, question)
        out, back = trip.legs(2)
        leg = back if failed == (Aspect.WORKS,) and out.arrives > 0.0 and back.ways else out
        if not leg.ways:
            return None, None
        way, narrator = leg.ways[0], Narrator(snapshot, question, self._language, trip.speech)
        return narrator.number(leg.kind, way), narrator.deciding(leg.kind, way.hops[-1]) if way.hops else None

    def _snapshot(self, at: UtcTime, faults: tuple[Fault, ...]) -> Snapshot:
        known = self._snapshots.get((at, faults))
        if known is None:
            known = self._snapshots[at, faults] = Snapshot(self._catalogs, at=at, faults=faults)
        return known

    def _count(self, legs: Iterable[Leg]) -> None:
        taken = {
            (hop.instance, hop.decision.table, hop.decision.route.name)
            for leg in legs
            for way in leg.ways
            for hop in way.hops
            if hop.decision.route is not None
        }
        for route in taken:
            self.used[route] = self.used.get(route, 0) + 1


def _refused(assertion: Assertion, refusal: CatalogError) -> AssertionResult:
    return AssertionResult(
        assertion=assertion,
        passed=False,
        failed=(Aspect.ASKED,),
        expected="",
        actual="",
        number=told_number(refusal.number, refusal.parameters),
    )


def _outcome(legs: Sequence[Leg]) -> Outcome:
    first, second = legs
    is_green = first.light is Light.GREEN and second.light is Light.GREEN
    return Outcome(
        works=first.arrives > 0.0 and second.arrives > 0.0,
        light=Light.GREEN if is_green else Light.AMBER if first.arrives > 0.0 else Light.RED,
        ends=tuple(map(_end, first.ways)),
        followed=first.followed,
    )


def _end(way: Way) -> End:
    return End(
        share=way.share,
        disposition=way.disposition,
        instance=way.instance,
        database=way.database,
        number=way.number,
        further=way.further,
        path=tuple(
            PathStep(
                route=None if hop.decision.route is None else hop.decision.route.name,
                instance=hop.instance,
                database=hop.decision.table,
            )
            for hop in way.hops
        ),
    )
