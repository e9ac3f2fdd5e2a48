"""An answer to a what-if, and what two of them differ in, as lines to read."""

from __future__ import annotations

from collections.abc import Iterator

from engine import api as engine

_Told = engine.what_if.ToldAnswer


def told(answer: _Told) -> Iterator[str]:
    """The question, what is supposed, and the four legs with every hop and why the other routes were not it."""
    yield engine.what_if.flow_text(answer.question)
    yield f"Asked {engine.what_if.circumstances_text(answer.at, answer.faults)}."
    if answer.stays_unacknowledged:
        yield "The message arrives, and its sender does not hear of it: it stays in the transmission queue."
    for leg in answer.legs:
        yield f"{leg.light.value.upper():6} {leg.kind.value}"
        for way in leg.ways:
            yield from _way(way)
    if answer.followed < 1.0:
        yield f"{1.0 - answer.followed:.4%} of all draws were not followed."


def _way(way: engine.what_if.ToldWay) -> Iterator[str]:
    number = None if way.number is None else way.number.number
    end = engine.what_if.end_text(way.disposition, way.instance, way.database, number, way.further)
    yield f"       {way.share:.0%} {end}"
    for hop in way.hops:
        route = "no route" if hop.route is None else f"route {hop.route}"
        onward = "" if hop.address is None else f" to {hop.address}"
        yield f"         {hop.instance}/{hop.table}: {hop.classification.value} by {route}{onward}"
        yield from (f"           {loss.sentence}" for loss in hop.losses)
        yield from (f"         {line}" for line in hop.security)
    if way.number is not None:
        yield f"         {way.number.number}: {way.number.text}. {way.number.why} {way.number.cure}".rstrip()


def told_difference(difference: engine.what_if.ToldDifference) -> Iterator[str]:
    """What became of the flow, and the hops that are other ones."""
    yield f"{difference.change.value.upper()}: {difference.before.value} before, {difference.after.value} after."
    for step in difference.steps:
        yield f"       {step.leg.value}: {_step(step.before)} → {_step(step.after)}"


def _step(step: engine.what_if.ToldStep | None) -> str:
    if step is None:
        return "nothing"
    parts = [f"{step.instance}/{step.table}", "no route" if step.route is None else step.route]
    parts += [part for part in (step.address, step.database) if part is not None]
    return " ".join(parts if step.number is None else [*parts, f"({step.number})"])
