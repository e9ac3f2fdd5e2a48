"""Sums over whole tables of runs: what stands in a headline, and what a chart shows of the largest groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest
from brokerweb.pipeline.selectors.reading import reader
from brokerweb.pipeline.selectors.tables import Filters, ResultColumn, ResultTable, cell, cells, conditions

GROUPS_MAX: Final = 10_000
"""Groups of an answer."""
COLUMNS_MAX: Final = 8
"""Columns that are grouped by, and columns that are added up."""
_SUMMED: Final = ("integer", "number")


def table_sums(
    table: ResultTable, *, by: Sequence[str], of: Sequence[str], limit: int, where: Filters, without: Filters
) -> dict[str, Any]:
    """Sums of columns `of` for each group that has columns `by` in common, largest of the first `of` first.

    Every row that the filters leave is added up, however many groups are told. Raises `MalformedRequest` for columns
    that there are not, that are no numbers or cannot be grouped by, `ResultUnreadable` and `ResultTooCostly`.
    """
    groups = [_grouped(table.column(name, "/by")) for name in by]
    sums = [_summed(table.column(name, "/of")) for name in of]
    condition, values = conditions(table, where, without)
    names = [f"g{place}" for place in range(len(groups))]
    totals = [f"s{place}" for place in range(len(sums))]
    shown = [f"{each.shown} AS {name}" for each, name in zip(groups, names, strict=True)]
    added = [f"coalesce(sum({each.quoted}), 0) AS {name}" for each, name in zip(sums, totals, strict=True)]
    # Of nothing there is no group; without columns to group by, SQL would make one of it all the same.
    grouped = f" GROUP BY {', '.join(names)}" if names else " HAVING count(*) > 0"
    order = ", ".join([f"{totals[0]} DESC", *(f"{name} NULLS LAST" for name in names)])
    whole = ", ".join(["count(*) OVER ()", *(f"sum({name}) OVER ()" for name in totals)])
    with reader() as connection:
        found = connection.execute(
            f"WITH grouped AS (SELECT {', '.join([*shown, *added])} FROM read_parquet(?){condition}{grouped})"  # noqa: S608
            f" SELECT {', '.join([*names, *totals])}, {whole} FROM grouped ORDER BY {order} LIMIT ?",
            [table.files, *values, limit],
        ).fetchall()
    columns, width = [*groups, *sums], len(groups) + len(sums)
    all_groups, *all_sums = found[0][width:] if found else (0, *(0 for _each in sums))
    told = [sum(row[len(groups) + place] for row in found) for place in range(len(sums))]
    return {
        "columns": [{"name": each.name, "type": each.type} for each in columns],
        "rows": [cells(columns, row[:width]) for row in found],
        "total_groups": all_groups,
        "sums": [cell(each) for each in all_sums],
        "others": [cell(each - of_told) for each, of_told in zip(all_sums, told, strict=True)],
    }


def _grouped(column: ResultColumn) -> ResultColumn:
    if column.type == "list":
        raise MalformedRequest(
            _("Column {name} cannot be grouped by.").format(name=column.name),
            why=_("It is of the type {type}.").format(type=column.type),
            cure=_("Choose a column that is no list."),
            pointer="/by",
        )
    return column


def _summed(column: ResultColumn) -> ResultColumn:
    if column.type not in _SUMMED:
        raise MalformedRequest(
            _("Column {name} cannot be added up.").format(name=column.name),
            why=_("It is of the type {type}.").format(type=column.type),
            cure=_("Choose a column of numbers."),
            pointer="/of",
        )
    return column
