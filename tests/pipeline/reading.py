"""Tables as whoever downloads them reads them: without Spark."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Row = dict[str, Any]


def rows_of(folder: Path) -> list[Row]:
    return [{name: _plain(value) for name, value in row.items()} for row in pq.read_table(folder).to_pylist()]


def _plain(value: Any) -> Any:
    """Instants in one kind of UTC; they are compared as text."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def told_rows(folder: Path) -> list[str]:
    """The rows of a table, comparable; of a list of verdicts the order says nothing."""
    rows = rows_of(folder)
    for row in rows:
        if "verdicts" in row:
            row["verdicts"].sort()
    return in_any_order(rows)


def in_any_order(rows: list[Row]) -> list[str]:
    """Comparable, whatever the order of rows and columns; a difference is shown as text."""
    return sorted(repr(sorted(row.items())) for row in rows)
