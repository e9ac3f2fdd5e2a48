"""`compact`: many small files of an hour become few large ones; hours that have few are left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Final

import pyarrow as pa
from deltalake import DeltaTable, WriterProperties

from engine.pipeline.lake.hours import hour_of, is_small
from engine.pipeline.lake.schema import ORDER

LOCK: Final = "_compaction.lock"
"""A file of the folder; what begins with an underscore is no part of a table."""
FEW: Final = 1
"""Small files that an hour may keep: of one alone nothing larger can be made."""


def compact(
    table: DeltaTable,
    estate: str,
    hours: Collection[datetime] | None,
    *,
    file_bytes: int,
    writer: WriterProperties,
) -> int:
    """Put small files together, hour by hour, sorted again; how many files went.

    Of every estate where `estate` is empty, of every hour where `hours` is None. Nobody else may do so meanwhile.
    """
    gone = 0
    for folder, begins_at in _crowded(table, estate, file_bytes):
        if hours is not None and begins_at not in hours:
            continue
        made = table.optimize.z_order(
            list(ORDER[:2]),
            partition_filters=[
                ("estate", "=", folder),
                ("trace_date", "=", begins_at.date().isoformat()),
                ("hour", "=", str(begins_at.hour)),
            ],
            target_size=file_bytes,
            writer_properties=writer,
        )
        gone += int(made["numFilesRemoved"])
    return gone


@contextmanager
def compacting_alone(lake: Path) -> Iterator[bool]:
    """Whether nobody else compacts the lake until the end of this.

    Two that put the same files together at once would double their rows: deltalake 1.6 lets both commit, since neither
    changes data, and heeds no marks of theirs. The system frees the lock of a process that dies.
    """
    with (lake / LOCK).open("ab") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _crowded(table: DeltaTable, estate: str, file_bytes: int) -> list[tuple[str, datetime]]:
    """Estate and hour of folders with more small files than they need."""
    files = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    small = Counter((file["partition.estate"], hour_of(file)) for file in files if is_small(file, file_bytes))
    return sorted(key for key, count in small.items() if count > FEW and estate in ("", key[0]))
