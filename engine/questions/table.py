"""What a question is asked of, and the table that answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.faults import Fault

Cell = str | int | float | bool | None
Row = tuple[Cell, ...]


class CellKind(StrEnum):
    """What stands in a column."""

    TEXT = "text"
    NUMBER = "number"
    YES_NO = "yes-no"
    INSTANT = "instant"
    """Seconds since 1970."""


class Column(msgspec.Struct, frozen=True):
    """One column."""

    name: str
    kind: CellKind = CellKind.TEXT


class EstateState(msgspec.Struct, frozen=True, kw_only=True):
    """One state of an estate, at one instant, with what is supposed."""

    label: str
    """As whoever asks names it: "revision 7"."""
    catalogs: Mapping[InstanceName, InstanceCatalog]
    at: UtcTime
    faults: tuple[Fault, ...] = ()
    applied: Mapping[InstanceName, InstanceCatalog] | None = None
    """What instances have applied, where that is known."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """An answer."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    base: str
    """Label of the state that was asked."""
    reference: str | None = None
    """Label of the state that it was compared with."""
    caps: tuple[str, ...] = ()
    """What was not looked at, and why."""


Q = TypeVar("Q", bound=msgspec.Struct)


class Registration(msgspec.Struct, Generic[Q], frozen=True, kw_only=True):
    """A question by its name: what it takes, what it is for, and who answers it."""

    name: str
    help: str
    question: type[Q]
    columns: tuple[Column, ...]
    answer: Callable[[Q, EstateState], Table]
    answer_diff: Callable[[Q, EstateState, EstateState], Table]
    """The state, and the one that it is compared with."""

    def parameters(self) -> dict[str, Any]:
        """Names and types of what the question takes, as a JSON schema."""
        schema = msgspec.json.schema(self.question)
        return dict(schema.get("$defs", {}).get(self.question.__name__, schema))


def register(
    name: str, text: str, question: type[Q], columns: tuple[Column, ...], answer: Callable[[Q, EstateState], Table]
) -> Registration[Q]:
    """A question whose differences are rows that have come and rows that have gone."""

    def answer_diff(asked: Q, state: EstateState, reference: EstateState) -> Table:
        return difference(answer(asked, state), answer(asked, reference))

    return Registration(
        name=name, help=text, question=question, columns=columns, answer=answer, answer_diff=answer_diff
    )


def difference(table: Table, reference: Table) -> Table:
    """Rows that only one of two tables has, with the word `come` or `gone` in front."""
    ones, others = set(reference.rows), set(table.rows)
    rows: Iterable[Row] = [("gone", *row) for row in reference.rows if row not in others]
    rows = [*rows, *(("come", *row) for row in table.rows if row not in ones)]
    return Table(
        columns=(Column("change"), *table.columns),
        rows=tuple(rows),
        base=table.base,
        reference=reference.base,
        caps=tuple(dict.fromkeys((*table.caps, *reference.caps))),
    )
