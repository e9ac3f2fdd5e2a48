"""Messages through the core alone: two instances, ports in memory, every event told (docs/performance.md)."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.benchmarks.core_pair import CorePair
from tests.benchmarks.measure import in_turns

DIALOGS = 100
MESSAGES = 10_000
LARGE_BODY = 4 * 1024 * 1024
LARGE_MESSAGES = 20
ROUNDS = 9


def yardstick() -> int:
    """What the machine does in pure Python at this moment: assignments to a small dictionary."""
    kept: dict[int, int] = {}
    for number in range(200_000):
        kept[number & 1023] = number
    return 200_000


@pytest.mark.timeout(900)
def test_messages_a_second(show: Callable[[str, list[list[str]]], None]) -> None:
    small, large = CorePair(DIALOGS, bytes(1024)), CorePair(4, bytes(LARGE_BODY))
    small.prepare((ROUNDS + 1) * MESSAGES)
    large.prepare((ROUNDS + 1) * LARGE_MESSAGES)
    figures = in_turns(
        {
            "yardstick": yardstick,
            "1 KiB": lambda: small.exchange(MESSAGES),
            "4 MiB": lambda: large.exchange(LARGE_MESSAGES),
        },
        rounds=ROUNDS,
        clock=time.process_time,
    )
    one = figures["yardstick"].median
    rows = [["body", "dialogs", "messages/s", "MiB/s", "us a message", "x yardstick"]]
    for name, dialogs, size in (("1 KiB", DIALOGS, 1024), ("4 MiB", 4, LARGE_BODY)):
        each = figures[name].median
        rows.append(
            [
                name,
                f"{dialogs}",
                f"{1 / each:,.0f}",
                f"{size / each / 1024**2:,.0f}",
                f"{each * 1e6:,.1f}",
                f"{each / one:,.0f}",
            ]
        )
    rows.append(["yardstick", "", f"{1 / one:,.0f}", "", f"{one * 1e6:.3f}", "1"])
    show("messages through the core, sent, carried, acknowledged and received; seconds of one core", rows)
