"""Tables as whoever downloads them reads them: without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Row = dict[str, Any]


def rows_of(folder: Path) -> list[Row]:
    return pq.read_table(folder).to_pylist()


def in_any_order(rows: list[Row]) -> list[str]:
    """Comparable, whatever the order of rows and columns; a difference is shown as text."""
    return sorted(repr(sorted(row.items())) for row in rows)
