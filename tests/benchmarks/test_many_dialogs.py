"""What a message costs by how many dialogs the messages go round: the core of both sides, and the work table."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import pytest

from engine.core.vocabulary.limits import TRANSMISSION_OBJECT_BYTES
from engine.core.vocabulary.settings import EngineSettings, TransmissionObjectSettings
from engine.storage.work_table import SqliteWorkTable
from tests.benchmarks.core_pair import CorePair
from tests.benchmarks.measure import in_turns
from tests.benchmarks.test_core_messages import yardstick

MESSAGES = 2_048
ROUNDS = 9
FEW, MANY, VERY_MANY = 100, 10_000, 100_000
KEPT = 10_000
"""Conversations that stay in memory where the bound is passed."""


def _pair(dialogs: int, kept: int | None = None, *, has_talked: bool = True) -> CorePair:
    settings = EngineSettings()
    if kept is not None:
        objects = TransmissionObjectSettings(bytes_kept=kept * TRANSMISSION_OBJECT_BYTES)
        settings = msgspec.structs.replace(settings, transmission_objects=objects)
    pair = CorePair(
        dialogs,
        bytes(1024),
        settings=settings,
        make_work_table=SqliteWorkTable,
        many_groups=True,
        has_talked=has_talked,
    )
    pair.prepare((ROUNDS + 1) * MESSAGES)
    return pair


@pytest.mark.timeout(1800)
def test_a_message_by_the_number_of_dialogs(show: Callable[[str, list[list[str]]], None]) -> None:
    pairs = {
        f"{FEW:,}": _pair(FEW),
        f"{MANY:,}": _pair(MANY),
        f"{VERY_MANY:,}": _pair(VERY_MANY),
        f"{VERY_MANY:,}, of which {KEPT:,} in memory": _pair(VERY_MANY, KEPT),
        "the first message on each": _pair((ROUNDS + 1) * MESSAGES, has_talked=False),
    }
    turns = {name: lambda pair=pair: pair.exchange(MESSAGES) for name, pair in pairs.items()}
    figures = in_turns({"yardstick": yardstick, **turns}, rounds=ROUNDS, clock=time.process_time)
    few, one = figures[f"{FEW:,}"].median, figures["yardstick"].median
    rows = [["dialogs", "us a message", "fastest", "x yardstick", f"x {FEW}"]]
    for name in pairs:
        each = figures[name]
        rows.append(
            [
                name,
                f"{each.median * 1e6:.1f}",
                f"{each.fastest * 1e6:.1f}",
                f"{each.median / one:,.0f}",
                f"{each.median / few:.2f}",
            ]
        )
    show("a message round so many dialogs, sent, carried, acknowledged and received; seconds of one core", rows)
