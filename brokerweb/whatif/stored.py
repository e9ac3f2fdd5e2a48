"""Assertions as they are stored: the engine's values in their JSON form."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from brokerweb.topology.flows import question_from_json
from brokerweb.whatif.models import Assertion
from engine import api as engine

Expectation = engine.assertions.Expectation
Result = engine.assertions.AssertionResult
Fault = engine.what_if.Fault


def to_json(value: object) -> Any:
    """A value of the engine as a JSON column holds it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def expectation_of_row(row: Assertion) -> Expectation:
    """What a stored assertion expects."""
    return msgspec.convert(row.expected, Expectation)


def faults_of_row(row: Assertion) -> tuple[Fault, ...]:
    """What it supposes."""
    return msgspec.convert(row.faults, tuple[Fault, ...])


def assertion_of_row(row: Assertion) -> engine.assertions.Assertion:
    """A stored assertion as the engine runs it."""
    return engine.assertions.Assertion(
        name=row.name,
        question=question_from_json(row.question),
        expected=expectation_of_row(row),
        faults=faults_of_row(row),
        at=None if row.at is None else engine.UtcTime(row.at.timestamp()),
        note=row.note,
    )


def moment_of(at: engine.UtcTime | None) -> datetime | None:
    """The engine's instant as a column holds it."""
    return None if at is None else datetime.fromtimestamp(at, UTC)


def result_to_json(result: Result) -> msgspec.Raw:
    """A result without its assertion, for a `LargeJSONField`."""
    told = {name: value for name, value in msgspec.structs.asdict(result).items() if name != "assertion"}
    return msgspec.Raw(engine.json_encoder.encode(told))


def result_from_json(stored: dict[str, Any], row: Assertion) -> Result:
    """The result of a stored assertion; what it says of the assertion is what that says now."""
    return msgspec.convert({**stored, "assertion": to_json(assertion_of_row(row))}, Result)
