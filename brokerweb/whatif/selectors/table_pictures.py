"""Tables as they travel, and as files: instants as dates, the engine's sentences in the asker's language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from brokerweb.common.languages import sentence
from brokerweb.common.spreadsheet import csv_lines
from brokerweb.whatif.selectors.basis import Basis
from brokerweb.whatif.selectors.tables import Bases, Table, TableAsked
from engine import api as engine

Row = engine.questions.Row
Kind = engine.questions.CellKind


class ToldBasis(msgspec.Struct, frozen=True, kw_only=True):
    """Which state a table is about; the fields of the API's `BasisOut`."""

    revision: int
    change_set: int | None
    sequence: int | None
    at: datetime
    is_now: bool
    engine_version: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A table with the states that it is about, as a job keeps it."""

    question: str
    table: Table
    base: ToldBasis
    reference: ToldBasis | None


def answer_of(asked: TableAsked, bases: Bases, table: Table) -> Answer:
    """The answer to a question."""
    return Answer(
        question=asked.name,
        table=table,
        base=_told(bases.after, table),
        reference=None if bases.before is None else _told(bases.before, table),
    )


def _told(basis: Basis, table: Table) -> ToldBasis:
    draft = basis.change_set
    return ToldBasis(
        revision=basis.revision,
        change_set=None if draft is None else draft.number,
        sequence=None if draft is None else draft.sequence,
        at=basis.at,
        is_now=basis.is_now,
        engine_version=table.engine_version,
    )


def table_picture(answer: Answer, *, page: int = 1, pages: int = 1, total: int | None = None) -> dict[str, Any]:
    """A page of an answer, or all of it, in the asker's language."""
    table = answer.table
    shown = len(table.changes) if table.reference is not None else len(table.rows)
    return {
        "question": answer.question,
        "columns": [{"name": column.name, "kind": column.kind.value} for column in table.columns],
        "rows": [worded(table, row) for row in table.rows],
        "changes": [
            {
                "change": each.change.value,
                "before": None if each.before is None else worded(table, each.before),
                "after": None if each.after is None else worded(table, each.after),
            }
            for each in table.changes
        ],
        "same": table.same,
        "notes": [{"kind": note.kind.value, "count": note.count, "names": list(note.names)} for note in table.notes],
        "total": shown if total is None else total,
        "page": page,
        "pages": pages,
        "base": msgspec.structs.asdict(answer.base),
        "reference": None if answer.reference is None else msgspec.structs.asdict(answer.reference),
    }


def worded(table: Table, row: Row) -> list[Any]:
    """The cells of a row as they are shown to programs."""
    return [_cell(column.kind, cell) for column, cell in zip(table.columns, row, strict=True)]


def _cell(kind: Kind, cell: engine.questions.Cell) -> Any:
    match kind:
        case Kind.INSTANT if isinstance(cell, int | float):
            return datetime.fromtimestamp(cell, UTC).isoformat().replace("+00:00", "Z")
        case Kind.SENTENCE if isinstance(cell, str):
            return sentence(cell)
        case _:
            return cell


def table_csv(table: Table) -> Iterator[str]:
    """The whole table; differences have two lines for a row that has changed, with `before` and `after` in front."""
    names = [column.name for column in table.columns]
    if table.reference is None:
        return csv_lines(names, (worded(table, row) for row in table.rows))
    return csv_lines(["change", "state", *names], _changes(table))


def _changes(table: Table) -> Iterator[list[Any]]:
    for each in table.changes:
        for state, row in (("before", each.before), ("after", each.after)):
            if row is not None:
                yield [each.change.value, state, *worded(table, row)]
