"""What a script has answered, as it travels."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from brokerweb.common.languages import asked_language
from brokerweb.training.api.schemas import (
    FailedOut,
    OutputOut,
    PrintedOut,
    ResultColumnOut,
    ResultSetOut,
    RowsAffectedOut,
)
from engine import api as engine

_MOMENTS: Final = ("datetime", "datetime2", "smalldatetime", "datetimeoffset")


def output_picture(output: engine.console.ConsoleOutput, total: int) -> OutputOut:
    """One of them, in the asker's language where it is an error that has words; `total` counts all rows of a set."""
    match output:
        case engine.console.ResultSet():
            return ResultSetOut(
                columns=[ResultColumnOut(name=each.name, type=each.type) for each in output.columns],
                rows=[
                    [_cell(cell, column.type) for cell, column in zip(row, output.columns, strict=True)]
                    for row in output.rows
                ],
                total=total,
                line=output.line,
            )
        case engine.console.Printed():
            return PrintedOut(text=output.text, line=output.line)
        case engine.console.RowsAffected():
            return RowsAffectedOut(count=output.count, line=output.line)
        case engine.console.Failed():
            return _failed(output)


def _failed(output: engine.console.Failed) -> FailedOut:
    said = engine.translations.translated(asked_language(), output.number, output.parameters)
    return FailedOut(
        number=output.number,
        severity=output.severity,
        state=output.state,
        line=output.line,
        message=output.message if said is None else said.text,
        why=output.why if said is None else said.why,
        cure=output.cure if said is None else said.cure,
    )


def _cell(cell: engine.Cell, column_type: str) -> str | None:
    match cell:
        case None:
            return None
        case bool():
            return str(int(cell))
        case bytes():
            return "0x" + cell.hex().upper()
        case UUID():
            return str(cell).upper()
        case float() if column_type.startswith(_MOMENTS):
            return datetime.fromtimestamp(cell, UTC).isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00")
        case _:
            return str(cell)
