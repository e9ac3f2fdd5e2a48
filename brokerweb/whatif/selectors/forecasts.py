"""What becomes of a conversation's messages on all hops: its what-if, what is wrong there, and since which revision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import msgspec

from brokerweb.common.sayings import worded
from brokerweb.topology.models import Estate, TopologyRevision
from brokerweb.topology.private_estates import private_state
from brokerweb.topology.selectors.findings import private_findings, wanted_findings
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from brokerweb.topology.selectors.places import DatabasePlace
from brokerweb.whatif.selectors.answers import Answered, answer_to
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from engine import api as engine

REVISIONS_MAX: Final = 10
"""Past revisions in which the one that broke a flow is looked for; each is read as a whole."""
FINDINGS_MAX: Final = 3

_Finding = engine.diagnosis.Finding
_Way = engine.what_if.ToldWay


class BrokenBy(msgspec.Struct, frozen=True, kw_only=True):
    """The revision since which the messages do not arrive."""

    number: int
    summary: str
    at: datetime


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What would become of the messages of one conversation."""

    answered: Answered | None
    """None where the far end of the conversation is in no instance of the estate, or nothing more is sent on it."""
    leg: engine.what_if.LegKind
    """The leg that the messages of this side go."""
    stopped: tuple[str, ...] = ()
    """Instances on the way whose endpoint does not accept connections."""
    findings: tuple[_Finding, ...] = ()
    broken_by: BrokenBy | None = None


def forecast_of(place: DatabasePlace, handle: UUID) -> Forecast:
    """The forecast of a conversation. Raises the engine's `BrokerError` (911, 8426), `EngineUnavailable`."""
    explanation = engine.explain_transmission(place.estate, place.instance, place.database, handle)
    leg = engine.what_if.LegKind.MESSAGE if explanation.is_initiator else engine.what_if.LegKind.REPLY
    basis = basis_of(place.estate, BasisAsked())
    question = engine.what_if.flow_of(explanation, engine.InstanceName(place.instance), basis.catalogs)
    if question is None:
        return Forecast(answered=None, leg=leg)
    answered = answer_to(basis, question)
    way = _way_of(answered, leg)
    if way is None or answered.answer.light is engine.what_if.Light.GREEN:
        return Forecast(answered=answered, leg=leg)
    stopped = _stopped(basis, way)
    return Forecast(
        answered=answered,
        leg=leg,
        stopped=stopped,
        findings=tuple(_about(basis, way, stopped)),
        broken_by=None if basis.estate is None else _broken_by(basis.estate, basis, answered.answer.question),
    )


def _way_of(answered: Answered, leg: engine.what_if.LegKind) -> _Way | None:
    """The most likely way of a leg; where nothing sets out on it, that of the first leg, which keeps it from it."""
    legs = answered.answer.legs
    found = next((each for each in legs if each.kind is leg and each.ways), legs[0])
    return found.ways[0] if found.ways else None


def _stopped(basis: Basis, way: _Way) -> tuple[str, ...]:
    started = engine.EndpointState.STARTED
    places = [name for name in (way.instance, way.further) if name is not None]
    return tuple(
        name
        for name in dict.fromkeys(places)
        if (endpoint := basis.catalogs[name].endpoint) is not None
        and endpoint.state is not started
        and way.disposition is engine.what_if.Disposition.UNREACHABLE
    )


def _about(basis: Basis, way: _Way, stopped: tuple[str, ...]) -> Iterator[_Finding]:
    """Findings that tell of the same fault: about the route that decided last, the end, or with its very number."""
    if basis.estate is None:
        if not private_state(basis.name).has_findings:
            return
        seen = private_findings(basis.name)
    else:
        seen = wanted_findings(basis.estate, basis.at)
    number = None if way.number is None else way.number.number
    last = way.hops[-1] if way.hops else None
    places = {way.instance, way.further}
    found = 0
    for each in seen.findings:
        finding, subject = each.finding, each.finding.subject
        is_route = last is not None and (subject.instance, subject.database, subject.name) == (
            last.instance,
            last.table,
            last.route,
        )
        is_numbered = number is not None and finding.number == number and subject.instance in places
        is_stopped = subject.kind is engine.diagnosis.ObjectKind.ENDPOINT and subject.instance in stopped
        if is_numbered or is_stopped or (is_route and subject.kind is engine.diagnosis.ObjectKind.ROUTE):
            yield finding
            found += 1
            if found == FINDINGS_MAX:
                return


def _broken_by(estate: Estate, basis: Basis, question: engine.what_if.FlowQuestion) -> BrokenBy | None:
    """The youngest revision before which the flow worked; None where none of the last ones is it."""
    rows = TopologyRevision.objects.filter(estate=estate, number__lte=basis.revision).order_by("-number")
    for row in rows[:REVISIONS_MAX]:
        if row.number > 0 and _works(past_catalogs(estate, row.number - 1), question, basis.instant):
            at = row.created_at.astimezone(UTC)
            return BrokenBy(number=row.number, summary=worded(row.said, row.summary), at=at)
    return None


def _works(
    catalogs: dict[str, engine.InstanceCatalog], question: engine.what_if.FlowQuestion, at: engine.UtcTime
) -> bool:
    verdict = engine.what_if.Evaluation(catalogs, [question], at=at).verdicts.get(question)
    return verdict is not None and verdict.works
