"""The door of the questions: what `engine.api` hands on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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
from engine.questions.parameters import Parameter, ParameterKind, parameters_of, read
from engine.questions.table import (
    Cell,
    CellKind,
    ChangedRow,
    Column,
    EstateState,
    Note,
    NoteKind,
    Registration,
    Row,
    RowChange,
    Table,
)

__all__ = [
    "QUESTIONS",
    "Cell",
    "CellKind",
    "ChangedRow",
    "Column",
    "EstateState",
    "Note",
    "NoteKind",
    "Parameter",
    "ParameterKind",
    "Registration",
    "Row",
    "RowChange",
    "Table",
    "ask",
    "parameters_of",
    "parts_of",
    "question_named",
]

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


def question_named(name: str) -> Registration[Any]:
    """The question of a name; raises `CatalogError` 15151 where there is none."""
    found = QUESTIONS.get(name)
    if found is None:
        raise CatalogError(NO_QUESTION, value="question", name=name, database="the estate")
    return found


def parts_of(name: str, parameters: Mapping[str, object]) -> int | None:
    """Of how many parts the answer for one state is made, each of which takes long; None where none does.

    Raises `CatalogError` 15151 and 153 as `ask` does, which does not happen any more then.
    """
    found = question_named(name)
    asked = read(name, found.question, parameters)
    return None if found.parts is None else found.parts(asked)


def ask(name: str, parameters: Mapping[str, object], state: EstateState, reference: EstateState | None = None) -> Table:
    """The answer to a question; with `reference` what differs from that state.

    Raises `CatalogError`: 15151 for a question that there is not and for names that are not in the estate, 911 for
    such a database, 153 for parameters that do not fit; and whatever `watch` of a state raises.
    """
    found = question_named(name)
    asked = read(name, found.question, parameters)
    return found.answer(asked, state) if reference is None else found.answer_diff(asked, state, reference)
