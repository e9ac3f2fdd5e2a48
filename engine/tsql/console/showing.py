"""Outputs as lines of text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from engine.core.exchange.system_views import Cell, ViewColumn
from engine.tsql.console import moments
from engine.tsql.console.outputs import ConsoleOutput, Failed, Printed, ResultSet, RowsAffected
from engine.tsql.console.types import MOMENTS

PADDED_MAX: Final = 256
"""Characters to which the cells of a column are filled up; longer ones are shown whole, out of line."""


def output_lines(output: ConsoleOutput) -> Iterator[str]:
    """One output, line by line."""
    match output:
        case ResultSet():
            yield from _table(output)
        case Printed():
            yield from output.text.splitlines() or [""]
        case RowsAffected():
            yield f"({output.count} {'row' if output.count == 1 else 'rows'})"
        case Failed():
            yield f"Msg {output.number}, Level {output.severity}, State {output.state}, Line {output.line}"
            yield f"{output.message}. {output.cure}".rstrip() if output.cure else output.message


def _table(result: ResultSet) -> Iterator[str]:
    cells = [[_shown(cell, column) for cell, column in zip(row, result.columns, strict=True)] for row in result.rows]
    heads = [column.name for column in result.columns]
    widths = [min(max(map(len, column)), PADDED_MAX) for column in zip(heads, *cells, strict=True)]
    yield _line(heads, widths)
    yield "  ".join("-" * max(width, 1) for width in widths)
    for row in cells:
        yield _line(row, widths)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _shown(cell: Cell, column: ViewColumn) -> str:
    match cell:
        case None:
            text = "NULL"
        case bool():
            text = str(int(cell))
        case bytes():
            text = "0x" + cell.hex().upper()
        case UUID():
            text = str(cell).upper()
        case float() if column.type.partition("(")[0] in MOMENTS:
            text = moments.stored(cell)
        case _:
            text = str(cell)
    return "".join(character if character.isprintable() else "\ufffd" for character in text)
