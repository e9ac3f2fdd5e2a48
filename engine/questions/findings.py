"""Questions that the diagnosis answers: its findings of certain codes, as rows.

The diagnosis looks at an estate in which everything is switched on, so that what is supposed to fail changes none of
its findings; tables say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.diagnosis.diagnose import diagnose
from engine.diagnosis.words import worded
from engine.questions.matching import register
from engine.questions.table import CellKind, Column, EstateState, Registration, Table, fault_notes

Q = TypeVar("Q", bound=msgspec.Struct)
COLUMNS: Final = (
    Column("code"),
    Column("severity", CellKind.WORD),
    *map(Column, ("instance", "database")),
    Column("kind", CellKind.WORD),
    Column("name"),
    Column("text", CellKind.SENTENCE),
)
KEY: Final = ("code", "instance", "database", "kind", "name")


def of_codes(name: str, text: str, question: type[Q], codes: tuple[str, ...]) -> Registration[Q]:
    """A question that findings of these codes answer."""
    answer = _answerer(frozenset(codes))
    return register(name, text, question, COLUMNS, answer, key=KEY, heeds_faults=False)


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
                worded(each, state.language).text,
            )
            for each in found
        )
        return Table(columns=COLUMNS, rows=rows, base=state.label, notes=fault_notes(state))

    return answer
