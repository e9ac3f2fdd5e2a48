"""Catalog views and DMVs of an instance for people and scripts: cells as JSON, bodies for who may read payloads."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from brokerweb.accounts.rights import Right
from brokerweb.common.errors import MalformedRequest, RightMissing
from brokerweb.topology.selectors.places import DatabasePlace
from engine import api as engine

BODY_COLUMN = "message_body"
WITHHELD = f"withheld: needs the right {Right.READ_PAYLOADS}"
"""What stands in place of a body; no body looks like it, for those are 0x and digits."""

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

    `filters` are texts `column=value`, `nulls` names of columns that are NULL. Without `shows_bodies` a body is
    replaced by the name of the right that is missing, and a condition on the column is a `RightMissing`: answers to
    it would tell what the body is. Raises `MalformedRequest` for a filter without an equals sign,
    `engine.BrokerError` with the engine's number, `EngineUnavailable`.
    """
    wanted = [_filter(text) for text in filters]
    wanted += [engine.ColumnFilter(column=name, value=None) for name in nulls]
    if not shows_bodies and BODY_COLUMN in {each.column.lower() for each in wanted}:
        raise RightMissing(
            _("A condition on the column {BODY_COLUMN} needs the right {READ_PAYLOADS}, which you have not.").format(
                BODY_COLUMN=BODY_COLUMN, READ_PAYLOADS=Right.READ_PAYLOADS
            ),
            why=_("Which rows it lets pass tells what is in the bodies."),
            cure=_("Leave the condition out, or ask an administrator for the right."),
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
    withheld = {position for position, each in enumerate(page.columns) if each.name == BODY_COLUMN and not shows_bodies}
    return {
        "view": page.view,
        "columns": [_column(each, position in withheld) for position, each in enumerate(page.columns)],
        "rows": [
            [
                WITHHELD if position in withheld and cell is not None else _json(cell, page.columns[position])
                for position, cell in enumerate(row)
            ]
            for row in page.rows
        ],
        "next_offset": page.next_offset,
    }


def _filter(text: str) -> engine.ColumnFilter:
    column, equals, value = text.partition("=")
    if not equals:
        raise MalformedRequest(
            _("The filter '{text}' has no equals sign.").format(text=text),
            why=_("A filter is a column, an equals sign and a value."),
            cure=_("Write filter=state=CO; for IS NULL write is_null=far_broker_instance."),
        )
    return engine.ColumnFilter(column=column, value=value)


def _column(column: engine.ViewColumn, is_withheld: bool) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "nullable": column.nullable,
        "withheld": Right.READ_PAYLOADS if is_withheld else None,
    }


def _json(cell: engine.Cell, column: engine.ViewColumn) -> JsonCell:
    """A cell as JSON has it: times as ISO 8601, ids as the vendor writes them, bytes as 0x and digits."""
    if isinstance(cell, bytes):
        return "0x" + cell.hex().upper()
    if column.type == "datetime" and isinstance(cell, int | float):
        return datetime.fromtimestamp(cell, UTC).isoformat().replace("+00:00", "Z")
    if cell is None or isinstance(cell, bool | int | float | str):
        return cell
    return str(cell).upper()
