"""Rows of traces that were not understood: a table of their own beside the lake, with line and reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.trace_sorting import TracePlace
from engine.pipeline.lake.writing import Lake, LakeBusy, writer_of

REJECTS: Final = pa.schema(
    [
        ("estate", pa.string()),
        ("instance", pa.string()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("reason", pa.string()),
        ("text", pa.string()),
    ]
)
_SAME: Final = ["line", "text"]
"""What rows of one instance have in common that are one row of a trace, which was sent again, or longer."""
Rows = list[dict[str, Any]]
"""Of `REJECTS`."""


def rejects_of(lake: Lake) -> Path:
    """The folder with the rows that were not understood."""
    return lake.folder.with_name(f"{lake.folder.name}.rejects")


def reject(lake: Lake, place: TracePlace, rows: Rows) -> None:
    """Keep rows that were not understood, each once, however often they are sent. Raises `LakeBusy`, `LakeUnusable`."""
    if not rows:
        return
    folder = rejects_of(lake)
    with lake_errors(folder):
        table = _rejects_table(folder)
        fresh = pa.Table.from_pylist(rows, schema=REJECTS).join(_kept(table, place), _SAME, join_type="left anti")
        if not fresh.num_rows:
            return
        with _turn_of(table, place) as commit:
            write_deltalake(table, fresh.select(REJECTS.names), mode="append", commit_properties=commit)


def unreject(lake: Lake, place: TracePlace, rows: Rows) -> int:
    """Delete what `reject` has kept of rows; how many these were. Raises as that."""
    folder = rejects_of(lake)
    with lake_errors(folder):
        if not rows or not DeltaTable.is_deltatable(str(folder)):
            return 0
        table = DeltaTable(folder)
        gone = pa.Table.from_pylist(rows, schema=REJECTS).join(_kept(table, place), _SAME, join_type="left semi")
        if not gone.num_rows:
            return 0
        same = " AND ".join(f"there.{name} = gone.{name}" for name in ("estate", "instance", *_SAME))
        with _turn_of(table, place) as commit:
            merge = table.merge(
                gone.select(["estate", "instance", *_SAME]),
                same,
                source_alias="gone",
                target_alias="there",
                commit_properties=commit,
            )
            told = merge.when_matched_delete().execute()
        return int(told["num_target_rows_deleted"])


def _kept(table: DeltaTable, place: TracePlace) -> pa.Table:
    of_instance = (ds.field("estate") == place.estate) & (ds.field("instance") == place.instance)
    kept = table.to_pyarrow_dataset().to_table(_SAME, filter=of_instance)
    return kept.cast(pa.schema([REJECTS.field(name) for name in _SAME]))


@contextmanager
def _turn_of(table: DeltaTable, place: TracePlace) -> Iterator[CommitProperties]:
    """A commit of an instance: whoever has looked at the table before it, and commits after it, must look again."""
    writer = writer_of(place.estate, place.instance)
    turn = Transaction(writer, (table.transaction_version(writer) or 0) + 1)
    try:
        yield CommitProperties(app_transactions=[turn])
    except CommitFailedError as error:
        raise LakeBusy(writer) from error


def _rejects_table(folder: Path) -> DeltaTable:
    if not DeltaTable.is_deltatable(str(folder)):
        with suppress(CommitFailedError):
            return DeltaTable.create(folder, REJECTS, mode="ignore")
    return DeltaTable(folder)
