"""A few conversations of what `ingest` has made, drawn by chance without reading all of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.pipeline.whatif.columns import CONVERSATION
from engine.pipeline.whatif.flows import KEY, packed_pair

GROUPS_MAX: Final = 4
"""Parquet is read by the row group, so rows are drawn from so many of them and not from anywhere."""
_Group = tuple[Path, int, int]
"""A file, the place of a row group in it, and its rows."""


def drawn(folder: Path, sample: int, chance: Random | None = None) -> pa.Table:
    """About `sample` rows of a folder that has some, `conversation_id` and `key`.

    Row groups are drawn first, by their sizes, then rows of each: every row can be drawn.
    """
    chance = chance or secrets.SystemRandom()
    groups = _some(_groups(folder), chance)
    total = sum(rows for _, _, rows in groups)
    tables = [_rows(group, -(-sample * group[2] // total), chance) for group in groups]
    return pa.concat_tables(tables).combine_chunks()


def _groups(folder: Path) -> list[_Group]:
    found = list[_Group]()
    for path in sorted(folder.glob("*.parquet")):
        told = pq.read_metadata(path)
        found += [(path, at, told.row_group(at).num_rows) for at in range(told.num_row_groups)]
    return [group for group in found if group[2]]


def _some(groups: Sequence[_Group], chance: Random) -> list[_Group]:
    left, found = list(groups), list[_Group]()
    while left and len(found) < GROUPS_MAX:
        (one,) = chance.choices(left, [rows for _, _, rows in left])
        left.remove(one)
        found.append(one)
    return found


def _rows(group: _Group, share: int, chance: Random) -> pa.Table:
    path, at, rows = group
    places = pa.array(sorted(chance.sample(range(rows), min(share, rows))))
    with pq.ParquetFile(path) as file:
        found = file.read_row_group(at, columns=[CONVERSATION, "sender", "target"]).take(places)
    return pa.table([found[CONVERSATION], packed_pair(found["sender"], found["target"])], [CONVERSATION, KEY])
