"""The door of the questions: what `engine.api` hands on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from engine.core.vocabulary.errors import CatalogError
from engine.questions import (
    delivery_under_faults,
    drift,
    duplicate_identities,
    expiring_routes,
    mirror_failover,
    route_trace,
    routing_loops,
    shadowed_routes,
    unreachable_services,
)
from engine.questions.table import Cell, CellKind, Column, EstateState, Registration, Row, Table

__all__ = ["QUESTIONS", "Cell", "CellKind", "Column", "EstateState", "Registration", "Row", "Table", "ask"]

NO_QUESTION: Final = 15151
ROOMS = (
    route_trace,
    unreachable_services,
    shadowed_routes,
    routing_loops,
    mirror_failover,
    drift,
    duplicate_identities,
    expiring_routes,
    delivery_under_faults,
)
QUESTIONS: Final[Mapping[str, Registration[Any]]] = {room.REGISTRATION.name: room.REGISTRATION for room in ROOMS}


def ask(name: str, parameters: Mapping[str, object], state: EstateState, reference: EstateState | None = None) -> Table:
    """The answer to a question; with `reference` what differs from that state.

    Raises `CatalogError` 15151 for a question that there is not and for names that are not in the estate, and
    `msgspec.ValidationError` for parameters that do not fit.
    """
    found = QUESTIONS.get(name)
    if found is None:
        raise CatalogError(NO_QUESTION, value="question", name=name, database="the estate")
    unknown = parameters.keys() - set(found.question.__struct_fields__)
    if unknown:
        raise msgspec.ValidationError(f"the question {name} takes no {', '.join(sorted(unknown))}")
    asked = msgspec.convert(parameters, found.question, strict=False)
    return found.answer(asked, state) if reference is None else found.answer_diff(asked, state, reference)
