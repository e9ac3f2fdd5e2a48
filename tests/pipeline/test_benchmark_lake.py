"""The lake that benchmarks read is made as the lake is written now, with what they demand of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from engine.pipeline.lake.writing import Lake
from tests.benchmarks.pipeline.events import EVENTS_EACH, write_lake

CONVERSATIONS = 10
"""Of the first ones, number 7 has lost its message and number 3 got one twice."""


def test_one_message_is_lost_and_one_came_twice(tmp_path: Path):
    for _again in range(2):
        write_lake(tmp_path, CONVERSATIONS * EVENTS_EACH)
        rows = Lake(tmp_path / "lake").read().to_pylist()
        told = Counter(row["event"] for row in rows)
        assert told["message-queued-for-transmission"] == 2 * CONVERSATIONS
        first = Counter(
            row["conversation_handle"]
            for row in rows
            if row["event"] == "message-delivered" and row["message_sequence_number"] == 0
        )
        assert sorted(first.values()) == [1] * (CONVERSATIONS - 2) + [2]
        assert len({row["event_number"] for row in rows}) == len(rows)
