"""What a session answers, as it travels: cells as JSON, result sets cut into frames of bearable length."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from brokerweb.common.languages import asked_language
from brokerweb.console import protocol
from engine import api as engine

CELL_CHARACTERS_MAX: Final = 65_536
"""Of one cell that are shown; a longer one ends in an ellipsis."""
SAFE_INTEGER_MAX: Final = 2**53 - 1
"""What a browser can count; a larger integer travels as digits."""


def messages_of(output: engine.console.ConsoleOutput, number: int) -> Iterator[protocol.ServerMessage]:
    """An output of script `number` as messages, in order."""
    match output:
        case engine.console.ResultSet():
            yield from _result_set(output, number)
        case engine.console.Printed():
            yield protocol.Printed(id=number, text=_cut(output.text), line=output.line)
        case engine.console.RowsAffected():
            yield protocol.RowsAffected(id=number, count=output.count, line=output.line)
        case engine.console.Failed():
            yield _failed(output, number)


def _failed(output: engine.console.Failed, number: int) -> protocol.Failed:
    said = engine.translations.translated(asked_language(), output.number, output.parameters)
    # What nothing was filled into is text that the script itself has raised.
    is_ours = said is not None and bool(output.parameters or output.why or output.cure)
    return protocol.Failed(
        id=number,
        number=output.number,
        severity=output.severity,
        state=output.state,
        line=output.line,
        message=_cut(said.text if said is not None and is_ours else output.message),
        why=said.why if said is not None and is_ours else output.why,
        cure=said.cure if said is not None and is_ours else output.cure,
    )


def _result_set(output: engine.console.ResultSet, number: int) -> Iterator[protocol.ServerMessage]:
    columns = [protocol.Column(each.name, each.type) for each in output.columns]
    begun = False
    for rows, is_whole in _portions(output.rows):
        if begun:
            yield protocol.Rows(id=number, rows=rows, is_whole=is_whole)
        else:
            yield protocol.ResultSet(id=number, line=output.line, columns=columns, rows=rows, is_whole=is_whole)
            begun = True


def _portions(rows: Sequence[Sequence[engine.Cell]]) -> Iterator[tuple[list[list[protocol.Cell]], bool]]:
    """Rows in lists that fit a frame each, with whether the list is the last; one list at least."""
    portion: list[list[protocol.Cell]] = []
    length = 0
    for row in rows:
        shown = [_cell(each) for each in row]
        size = sum([len(each) if isinstance(each, str) else 8 for each in shown])
        if portion and length + size > protocol.SENT_CHARACTERS_MAX:
            yield portion, False
            portion, length = [], 0
        portion.append(shown)
        length += size
    yield portion, True


def _cell(cell: engine.Cell) -> protocol.Cell:
    """Ids as the vendor writes them, bytes as 0x and digits, a bit as 0 or 1, a datetime as seconds since 1970."""
    match cell:
        case bool():
            return int(cell)
        case int():
            return cell if abs(cell) <= SAFE_INTEGER_MAX else str(cell)
        case float():
            return cell if math.isfinite(cell) else str(cell)
        case bytes():
            return _cut("0x" + cell[:CELL_CHARACTERS_MAX].hex().upper())
        case UUID():
            return str(cell).upper()
        case str():
            return _cut(cell)
        case None:
            return None


def _cut(text: str) -> str:
    shown = text if len(text) <= CELL_CHARACTERS_MAX else text[: CELL_CHARACTERS_MAX - 1] + "…"
    # Half a character travels nowhere.
    return shown.encode("utf-8", "backslashreplace").decode()


def statements_text(counts: Mapping[str, int]) -> str:
    """How often each statement was carried out: `BEGIN DIALOG, SEND × 3`."""
    return ", ".join(verb if count == 1 else f"{verb} × {count}" for verb, count in counts.items())


def from_utf16(text: str, position: int) -> int:
    """A position as browsers count as one of ours; one beyond the end is the end."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * position]
    return len(units.decode("utf-16-le", "ignore"))


def to_utf16(text: str, position: int) -> int:
    """The inverse of `from_utf16`."""
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2
