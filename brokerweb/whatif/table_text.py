"""The answer to a question, as lines to read."""

from __future__ import annotations

from collections.abc import Iterator

from engine import api as engine

_Table = engine.questions.Table
_Kind = engine.questions.NoteKind


def told_table(table: _Table) -> Iterator[str]:
    """A line of names, one for each row, what stands beside the table, and of which states it tells."""
    names = [column.name for column in table.columns]
    is_compared = table.reference is not None
    yield " | ".join(["change", *names] if is_compared else names)
    for row in table.rows:
        yield " | ".join(map(_cell, row))
    for changed in table.changes:
        yield " | ".join((changed.change.value, *_cells(changed)))
    yield from (_note(each) for each in table.notes)
    count = len(table.changes) if is_compared else len(table.rows)
    counted = f"{count} row{'' if count == 1 else 's'}"
    if is_compared:
        yield f"{counted} not alike, {table.same} alike: {table.base}, compared with {table.reference}."
    else:
        yield f"{counted}: {table.base}."


def _cells(changed: engine.questions.ChangedRow) -> Iterator[str]:
    if changed.before is None or changed.after is None:
        yield from map(_cell, changed.after or changed.before or ())
        return
    for before, after in zip(changed.before, changed.after, strict=True):
        yield _cell(after) if before == after else f"{_cell(before) or 'nothing'} → {_cell(after) or 'nothing'}"


def _cell(cell: engine.questions.Cell) -> str:
    return "" if cell is None else str(cell)


def _note(note: engine.questions.Note) -> str:
    count, names = note.count or 0, ", ".join(note.names)
    match note.kind:
        case _Kind.DRAWS:
            return f"{count:.4%} of all draws were not followed."
        case _Kind.EXPIRIES:
            return f"{count:.0f} later expiries were not looked at."
        case _Kind.FLOWS:
            return f"{count:.0f} further flows were not looked at."
        case _Kind.NOT_APPLIED:
            return f"Not known what has been applied: {names}."
        case _Kind.FAULTS:
            return "What is supposed to fail does not matter here: definitions are asked, and no failure changes one."
        case _Kind.NOBODY:
            return f"Nobody is there to ask in {names}."
