"""Catalog views and DMVs of an instance for people and scripts: cells as JSON, bodies only for who may receive them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from brokerweb.common.errors import MalformedRequest, RightMissing
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine

BODY_COLUMN = "message_body"

JsonCell = bool | int | float | str | None


def system_view_read(
    place: DatabasePlace,
    view: str,
    *,
    columns: Sequence[str],
    filters: Sequence[str],
    nulls: Sequence[str],
    offset: int,
    rows_max: int,
    shows_bodies: bool,
) -> dict[str, Any]:
    """One page of a view, asked for in the database: name, columns, rows and where to go on.

    `filters` are texts `column=value`, `nulls` names of columns that are NULL. Without `shows_bodies` the column
    `message_body` is left out, and asking for it is a `RightMissing`. Raises `MalformedRequest` for a filter without
    an equals sign, `engine.BrokerError` with the engine's number, `EngineUnavailable`.
    """
    wanted = [_filter(text) for text in filters]
    wanted += [engine.ColumnFilter(column=name, value=None) for name in nulls]
    if not shows_bodies and BODY_COLUMN in {name.lower() for name in (*columns, *(each.column for each in wanted))}:
        raise RightMissing(
            f"The column {BODY_COLUMN} needs the right to operate, which your role does not include.",
            cure="Ask for other columns, or ask an administrator for the role operator.",
        )
    page = engine.read_system_view(
        place.estate,
        place.instance,
        engine.SystemViewQuery(
            view=view,
            database=engine.DatabaseName(place.database),
            columns=tuple(columns),
            filters=tuple(wanted),
            offset=offset,
            rows_max=rows_max,
        ),
    )
    shown = [position for position, each in enumerate(page.columns) if shows_bodies or each.name != BODY_COLUMN]
    return {
        "view": page.view,
        "columns": [_column(page.columns[position]) for position in shown],
        "rows": [[_json(row[position], page.columns[position]) for position in shown] for row in page.rows],
        "next_offset": page.next_offset,
    }


def _filter(text: str) -> engine.ColumnFilter:
    column, equals, value = text.partition("=")
    if not equals:
        raise MalformedRequest(
            f"The filter '{text}' has no equals sign.",
            why="A filter is a column, an equals sign and a value.",
            cure="Write filter=state=CO; for IS NULL write is_null=far_broker_instance.",
        )
    return engine.ColumnFilter(column=column, value=value)


def _column(column: engine.ViewColumn) -> dict[str, Any]:
    return {"name": column.name, "type": column.type, "nullable": column.nullable}


def _json(cell: engine.Cell, column: engine.ViewColumn) -> JsonCell:
    """A cell as JSON has it: times as ISO 8601, ids as the vendor writes them, bytes as 0x and digits."""
    if isinstance(cell, bytes):
        return "0x" + cell.hex().upper()
    if column.type == "datetime" and isinstance(cell, int | float):
        return datetime.fromtimestamp(cell, UTC).isoformat().replace("+00:00", "Z")
    if cell is None or isinstance(cell, bool | int | float | str):
        return cell
    return str(cell).upper()
