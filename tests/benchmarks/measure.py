"""How the benchmarks measure: in turns, so that a busy moment of the machine hits everybody, and as ratios.

A figure is the median over rounds. In each round every contestant works once, in an order that changes.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """Seconds for one operation: the median over the rounds, the fastest and the slowest round."""

    median: float
    fastest: float
    slowest: float


def in_turns(
    contestants: Mapping[str, Callable[[], int]], rounds: int = 9, clock: Callable[[], float] = time.perf_counter
) -> dict[str, Figure]:
    """Seconds for one operation of each contestant; a contestant answers how many operations it has done.

    `time.process_time` as clock counts what one core has worked, however many others wanted it.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for name in names:
        contestants[name]()
    # The collector would walk through everybody's tables in the middle of somebody's turn.
    gc.collect()
    gc.freeze()
    for number in range(rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            gc.disable()
            start = clock()
            operations = contestants[name]()
            seconds[name].append((clock() - start) / operations)
            gc.enable()
    gc.unfreeze()
    return {name: Figure(statistics.median(each), min(each), max(each)) for name, each in seconds.items()}
