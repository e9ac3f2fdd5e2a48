"""Questions that the diagnosis answers: its findings of certain codes, as rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.words import worded
from engine.questions.table import Column, EstateState, Registration, Table, register

Q = TypeVar("Q", bound=msgspec.Struct)
COLUMNS = tuple(map(Column, ("code", "severity", "instance", "database", "kind", "name", "text")))


def of_codes(name: str, text: str, question: type[Q], codes: tuple[str, ...]) -> Registration[Q]:
    """A question that findings of these codes answer."""
    return register(name, text, question, COLUMNS, _answerer(frozenset(codes)))


def _answerer(codes: frozenset[str]) -> Callable[[msgspec.Struct, EstateState], Table]:
    def answer(asked: msgspec.Struct, state: EstateState) -> Table:
        given: dict[str, InstanceCatalog] = {catalog.name: catalog for catalog in state.catalogs.values()}
        found = [each for each in diagnose(given, state.at).findings if each.code in codes]
        rows = tuple(
            (
                each.code,
                each.severity.value,
                each.subject.instance,
                each.subject.database,
                each.subject.kind.value,
                each.subject.name,
                worded(each).text,
            )
            for each in found
        )
        return Table(columns=COLUMNS, rows=rows, base=state.label)

    return answer
