"""Answers to one question, two of them compared, and questions that are worth asking."""

from __future__ import annotations

import msgspec

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.languages import asked_language
from brokerweb.whatif.selectors.basis import Basis
from brokerweb.whatif.selectors.kept_states import kept_state
from engine import api as engine

FlowQuestion = engine.what_if.FlowQuestion


class RouteLine(msgspec.Struct, frozen=True, kw_only=True):
    """The statement that makes a route."""

    instance: str
    database: str
    name: str
    text: str


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with what belongs to it."""

    basis: Basis
    answer: engine.what_if.ToldAnswer
    fingerprint: str
    lines: tuple[RouteLine, ...]
    """Every route that stands in the answer: those that decide, and those that were considered."""
    near_misses: tuple[str, ...]
    """Services that are called almost as the one that is asked for, when that one is nowhere."""


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One question, answered twice; None where nobody is there to ask it."""

    before: Answered | None
    after: Answered | None
    difference: engine.what_if.ToldDifference | None


def answer_to(basis: Basis, question: FlowQuestion, pointer: str = "/question") -> Answered:
    """Where the message of a question goes. Raises `ObjectNotFound` for one that nobody could ask."""
    asked = basis.places.question(question, pointer)
    answer = engine.what_if.ask(basis.catalogs, asked, at=basis.instant, faults=basis.faults, language=asked_language())
    return Answered(
        basis=basis,
        answer=answer,
        fingerprint=engine.what_if.fingerprint(answer),
        lines=route_lines(basis, answer),
        near_misses=basis.places.near_services(asked.to_service),
    )


def examples_of(basis: Basis) -> tuple[engine.what_if.Example, ...]:
    """A handful of questions that are worth asking."""
    return kept_state(basis.catalogs, basis.instant).examples


def comparison_of(before: Basis, after: Basis, question: FlowQuestion) -> Compared:
    """The question asked about both. Raises `ObjectNotFound` when nobody could ask it of either."""
    found: list[Answered | None] = []
    hindrance: ObjectNotFound | None = None
    for basis in (before, after):
        try:
            found.append(answer_to(basis, question))
        except ObjectNotFound as problem:
            found.append(None)
            hindrance = problem
    one, other = found
    if one is None and other is None and hindrance is not None:
        raise hindrance
    difference = None if one is None or other is None else engine.what_if.compare(one.answer, other.answer)
    return Compared(before=one, after=other, difference=difference)


def route_lines(basis: Basis, answer: engine.what_if.ToldAnswer) -> tuple[RouteLine, ...]:
    """CREATE ROUTE of every route in an answer, in the order in which they come up; each once."""
    wanted: dict[tuple[str, str, str], None] = {}
    for leg in answer.legs:
        for way in leg.ways:
            for hop in way.hops:
                names = [hop.route, *hop.candidates, *(loss.route for loss in hop.losses)]
                wanted.update(dict.fromkeys((hop.instance, hop.table, name) for name in names if name is not None))
    return tuple(_line(basis, *place) for place in wanted)


def _line(basis: Basis, instance: str, database: str, name: str) -> RouteLine:
    catalog = basis.catalogs[instance]
    route = catalog.databases[engine.DatabaseName(database)].routes[engine.RouteName(name)]
    change = engine.RouteCreated(database=engine.DatabaseName(database), route=route)
    return RouteLine(instance=instance, database=database, name=name, text=engine.scripts.change_text(change, catalog))
