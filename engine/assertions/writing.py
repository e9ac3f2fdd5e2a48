"""`to_yaml`: assertions as a file that `reading` reads, for a repository to keep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import yaml

from engine.assertions.assertion import Assertion, Expectation, PathStep, Place
from engine.assertions.value_reading import instant_of
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.faults import Fault
from engine.whatif.wording import instant_text

_WIDTH = 120
_DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The writer written in C where there is one; it is five times as fast."""


def to_yaml(assertions: Iterable[Assertion]) -> str:
    """The text of a file; reading it gives the same assertions."""
    entries = [_entry(assertion) for assertion in assertions]
    texts = [yaml.dump([entry], Dumper=_DUMPER, allow_unicode=True, sort_keys=False, width=_WIDTH) for entry in entries]
    return "\n".join(texts) or "[]\n"


def _entry(assertion: Assertion) -> dict[str, Any]:
    asked = assertion.question
    entry: dict[str, Any] = {"name": assertion.name}
    if assertion.note:
        entry["note"] = assertion.note
    entry["from"] = {"instance": asked.instance, "database": asked.database, "service": asked.service}
    entry["to"] = asked.to_service
    if asked.broker_instance is not None:
        entry["broker_id"] = str(asked.broker_instance)
    if asked.contract is not None:
        entry["contract"] = asked.contract
    if asked.message_type is not None:
        entry["message_type"] = asked.message_type
    if asked.encryption:
        entry["encryption"] = True
    if assertion.at is not None:
        entry["at"] = _instant(assertion.at)
    if assertion.faults:
        entry["faults"] = [_fault(fault) for fault in assertion.faults]
    entry["expected"] = _expected(assertion.expected)
    return entry


def _instant(at: UtcTime) -> str | float:
    text = instant_text(at)
    return text if instant_of(text) == at else float(at)


def _fault(fault: Fault) -> dict[str, str]:
    return {name: str(value) for name, value in msgspec.structs.asdict(fault).items() if value is not None}


def _expected(expected: Expectation) -> str | dict[str, Any]:
    if expected == Expectation(works=expected.works):
        return "works" if expected.works else "fails"
    claims: dict[str, Any] = {}
    if expected.works is not None:
        claims["works"] = expected.works
    if expected.disposition is not None:
        claims["disposition"] = expected.disposition.value
    if expected.reaches:
        places = [_place(place) for place in expected.reaches]
        claims["reaches"] = places[0] if len(places) == 1 else places
    if expected.path is not None:
        claims["path"] = [_step(step) for step in expected.path]
    if expected.number is not None:
        claims["number"] = expected.number
    return claims


def _place(place: Place) -> dict[str, str]:
    return {"instance": place.instance, "database": place.database}


def _step(step: PathStep) -> str | dict[str, str | None]:
    if step.instance is None and step.database is None and step.route is not None:
        return step.route
    told: dict[str, str | None] = {"route": step.route}
    if step.instance is not None:
        told["instance"] = step.instance
    if step.database is not None:
        told["database"] = step.database
    return told
