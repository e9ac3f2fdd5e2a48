"""`Lake`: a table of events in Parquet files, written exactly once by event number, and compacted.

The table is a Delta table (delta-rs): what a commit adds and what it takes away is one file of its log. The number of
the last event of each instance is committed with the rows, so a writer that died, or another one at the same time,
neither loses nor doubles any. Whoever reads without Delta takes the files that `files` names.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from engine.core.exchange.events import BrokerEvent
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import EventSequence
from engine.pipeline.lake.rows import lake_table
from engine.pipeline.lake.schema import COLUMNS, LAKE_SCHEMA_VERSION, ORDER, PARTITIONS

WRITTEN_BY_ANOTHER: Final = 3960
FILE_BYTES: Final = 128 * 1024 * 1024
"""What compaction makes of many small files, about."""
NAME: Final = f"brokerweb events {LAKE_SCHEMA_VERSION}"
_WRITER: Final = WriterProperties(compression="ZSTD")

Numbered = tuple[EventSequence, BrokerEvent]


class LakeBusy(LocalProtocolError):
    """Somebody else has written the same events at the same time; nothing of ours was kept. Read on and try again."""

    def __init__(self, name: str) -> None:
        super().__init__(WRITTEN_BY_ANOTHER, name=name)


class Lake:
    """One folder. Processes may share it, and the instances of several estates."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder

    def last_number(self, estate: str, instance: str) -> EventSequence:
        """The number of the last event that is there; 0 when none is."""
        return EventSequence(_number_of(self._table(), _writer_of(estate, instance)))

    def append(self, estate: str, instance: str, events: Sequence[Numbered]) -> int:
        """Write those events that are not there yet, all or none of them; how many these were.

        `events` come in the order of their numbers. Raises `LakeBusy`.
        """
        table, writer = self._table(), _writer_of(estate, instance)
        last = _number_of(table, writer)
        fresh = [each for each in events if each[0] > last]
        if fresh:
            self._commit(table, lake_table(estate, instance, fresh), writer, int(fresh[-1][0]))
        return len(fresh)

    def take_over(self, estate: str, instance: str, source: str, rows: pa.Table) -> int:
        """Write rows of `COLUMNS` that come from somewhere else, once for each `source`; how many these were.

        Raises `LakeBusy`.
        """
        table, writer = self._table(), f"{_writer_of(estate, instance)}/{source}"
        if not rows.num_rows or _number_of(table, writer):
            return 0
        self._commit(table, rows, writer, rows.num_rows)
        return int(rows.num_rows)

    def _commit(self, table: DeltaTable | None, rows: pa.Table, writer: str, number: int) -> None:
        try:
            write_deltalake(
                self.folder if table is None else table,
                rows.sort_by([(name, "ascending") for name in ORDER]),
                mode="append",
                partition_by=list(PARTITIONS),
                name=NAME if table is None else None,
                writer_properties=_WRITER,
                commit_properties=CommitProperties(app_transactions=[Transaction(writer, number)]),
            )
        except CommitFailedError as error:
            raise LakeBusy(writer) from error

    def compact(self, file_bytes: int = FILE_BYTES) -> int:
        """Make few large files of the small ones of each hour, sorted again; how many files went."""
        table = self._table()
        if table is None:
            return 0
        made = table.optimize.z_order(list(ORDER[:2]), target_size=file_bytes, writer_properties=_WRITER)
        return int(made["numFilesRemoved"])

    def files(self) -> list[str]:
        """The files that make up the table now."""
        table = self._table()
        if table is None:
            return []
        return table.file_uris()

    def rows(self) -> int:
        """How many events there are; read from the log of the table, whatever its size."""
        table = self._table()
        if table is None:
            return 0
        counted = pa.table(table.get_add_actions(flatten=True)).column("num_records")
        return int(sum(each.as_py() for each in counted))

    def read(self) -> pa.Table:
        """All rows, in memory: for small lakes and tests."""
        table = self._table()
        return COLUMNS.empty_table() if table is None else table.to_pyarrow_table().select(COLUMNS.names)

    def _table(self) -> DeltaTable | None:
        try:
            return DeltaTable(self.folder)
        except TableNotFoundError:
            return None


def _number_of(table: DeltaTable | None, writer: str) -> int:
    return 0 if table is None else table.transaction_version(writer) or 0


def _writer_of(estate: str, instance: str) -> str:
    return f"{estate}/{instance}"
