"""A few conversations of what `ingest` has made, drawn by chance without reading all of them, and where they should be.

A task of Spark reads some row groups and writes one file, which bears its number: what was drawn from a few row groups
should be in as few of the files that were made of them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from engine.pipeline.whatif.columns import CONVERSATION

_PART: Final = re.compile(r"part-(\d+)-")
GROUPS_MAX: Final = 4
"""Parquet is read by the row group, so rows are drawn from so many of them and not from anywhere."""


class Group(NamedTuple):
    """A row group of a file."""

    path: Path
    place: int
    """Among those of the file."""
    first: int
    """The place of its first row among those of the file."""
    rows: int


def drawn(folder: Path, sample: int, chance: Random | None = None) -> tuple[pa.Table, list[Group]]:
    """About `sample` rows of a folder that has some, `conversation_id` and `flow`; and the row groups they are from.

    Row groups are drawn first, by their sizes, then rows of each: every row can be drawn.
    """
    chance = chance or secrets.SystemRandom()
    groups = _some(_groups(folder), chance)
    total = sum(group.rows for group in groups)
    tables = [_rows(group, -(-sample * group.rows // total), chance) for group in groups]
    return pa.concat_tables(tables).combine_chunks(), groups


def _groups(folder: Path) -> list[Group]:
    found = list[Group]()
    for path in sorted(folder.glob("*.parquet")):
        told, first = pq.read_metadata(path), 0
        for place in range(told.num_row_groups):
            rows = told.row_group(place).num_rows
            found.append(Group(path, place, first, rows))
            first += rows
    return [group for group in found if group.rows]


def _some(groups: Sequence[Group], chance: Random) -> list[Group]:
    left, found = list(groups), list[Group]()
    while left and len(found) < GROUPS_MAX:
        (one,) = chance.choices(left, [group.rows for group in left])
        left.remove(one)
        found.append(one)
    return found


def _rows(group: Group, share: int, chance: Random) -> pa.Table:
    places = pa.array(sorted(chance.sample(range(group.rows), min(share, group.rows))))
    with pq.ParquetFile(group.path) as file:
        return file.read_row_group(group.place, columns=[CONVERSATION, "flow"]).take(places)


def near(read: DataFrame, groups: Sequence[Group], written: DataFrame) -> DataFrame:
    """The rows of `written` that are where tasks have put those of some row groups of `read`, row by row, no shuffle.

    Where files are named otherwise there are none: who looks for a row here looks for it elsewhere as well.
    """
    # No file says which task has written what. But files are cut into the same numbered tasks each time they are read;
    # to ask for the number of a task and the place of a row alone reads no column.
    places = read.filter(f.col("_metadata.row_index").isin(sorted({group.first for group in groups})))
    places = places.select("_metadata.file_name", "_metadata.row_index", f.spark_partition_id().alias("task"))
    wanted = {(group.path.name, group.first) for group in groups}
    tasks = {row["task"] for row in places.collect() if (row["file_name"], row["row_index"]) in wanted}
    names = [name for name in map(_name_of, written.inputFiles()) if _task_of(name) in tasks]
    return written.filter(f.col("_metadata.file_name").isin(names))


def _name_of(address: str) -> str:
    return unquote(address.rpartition("/")[2])


def _task_of(name: str) -> int | None:
    """Which task has written a file, by the name that Spark gives it."""
    found = _PART.match(name)
    return int(found[1]) if found else None
