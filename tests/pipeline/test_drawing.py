"""Conversations that are drawn for the check: about as many as wanted, real rows, and none that could not be drawn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.pipeline.whatif.drawing import GROUPS_MAX, drawn

FILES, GROUP_ROWS = 3, 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files of 100 rows in row groups of 40, 40 and 20: nine groups. A row's sender and target are its number."""
    folder = tmp_path_factory.mktemp("conversations")
    for file in range(FILES):
        numbers = list(range(100 * file, 100 * file + 100))
        columns = {"conversation_id": [f"c{number}" for number in numbers], "sender": numbers, "target": numbers}
        schema = pa.schema([("conversation_id", pa.string()), ("sender", pa.int32()), ("target", pa.int32())])
        pq.write_table(pa.table(columns, schema=schema), folder / f"part-{file}.parquet", row_group_size=GROUP_ROWS)
    (folder / "_SUCCESS").touch()
    return folder


def test_identifiers_keep_their_flows(folder: Path) -> None:
    found = drawn(folder, 30, Random(1))
    assert found["key"].to_pylist() == [
        int(name[1:]) << 32 | int(name[1:]) for name in found["conversation_id"].to_pylist()
    ]


@pytest.mark.parametrize("seed", range(20))
def test_no_row_is_drawn_twice_and_about_as_many_as_wanted(folder: Path, seed: int) -> None:
    names = drawn(folder, 30, Random(seed))["conversation_id"].to_pylist()
    assert len(names) == len(set(names))
    # Each share is rounded up.
    assert 30 <= len(names) < 30 + GROUPS_MAX


def test_every_row_is_drawn_sometimes_and_none_much_more_often(folder: Path) -> None:
    chance = Random(7)
    times: Counter[str] = Counter()
    for _ in range(2_000):
        times.update(drawn(folder, 10, chance)["conversation_id"].to_pylist())
    assert len(times) == 300
    assert max(times.values()) < 4 * min(times.values())


def test_a_sample_larger_than_its_row_groups_has_all_of_them(folder: Path) -> None:
    names = drawn(folder, 1_000, Random(2))["conversation_id"].to_pylist()
    assert 100 <= len(names) == len(set(names)) <= GROUPS_MAX * GROUP_ROWS
