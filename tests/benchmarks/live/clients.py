"""Two hundred tabs in a process of their own: `python -m tests.benchmarks.live.clients ORDER`.

Each shows one of the pages that people look at; one of them reads slowly while its input says so. Prints `ready` when
all are current; when its input says `stop`, waits until nothing comes any more, and writes what each fold has come to,
and when what was heard.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec

from tests.support.live_tab import LiveTab, Topic

ESTATE = "demo-fr-de"
PARIS, LYON = "PARIS", "LYON"

PAGES: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    # Live panel.
    (
        ("estate", {}),
        ("instances", {}),
        ("transmissions", {}),
        ("conversations", {}),
        ("queues", {}),
        ("connections", {}),
    ),
    # Canvas.
    (("estate", {}), ("instances", {}), ("queues", {}), ("transmissions", {})),
    # Conversations of a database, in some states.
    (("estate", {}), ("instances", {}), ("conversations", {"instances": [PARIS], "database": "Ventes", "rows": 100})),
    (("estate", {}), ("instances", {}), ("conversations", {"instances": [LYON], "states": ["CD"], "rows": 50})),
    # Transmission queue of an instance.
    (("estate", {}), ("instances", {}), ("transmissions", {"instances": [PARIS], "rows": 100})),
    # Queues of an instance.
    (("estate", {}), ("instances", {}), ("queues", {"instances": [LYON]})),
    # Counters.
    (("estate", {}), ("instances", {}), ("counters", {"instances": [PARIS]})),
    # Trace.
    (("estate", {}), ("instances", {}), ("trace", {"instances": [PARIS], "rows": 100})),
)
SHARES = (4, 4, 3, 2, 3, 2, 1, 1)
"""How many of twenty tabs show each page."""
QUIET_SECONDS = 4.0


class Order(msgspec.Struct, frozen=True):
    """What to do."""

    address: str
    cookies: list[str]
    """Of the people whose tabs these are, one after another."""
    tabs: int
    result: str


class Ear:
    """When each stream of a tab came to include which event."""

    def __init__(self) -> None:
        self.heard: defaultdict[str, list[tuple[float, dict[str, int]]]] = defaultdict(list)

    def __call__(self, topic: Topic, events: dict[str, int]) -> None:
        self.heard[topic.topic].append((time.time(), events))


class Shown(msgspec.Struct):
    """What a topic of a tab has come to."""

    topic: str
    params: dict[str, Any]
    is_current: bool
    resyncs: int
    keys: list[str]
    rows: list[Any]
    facts: dict[str, Any]
    heard: list[tuple[float, dict[str, int]]]


class TabResult(msgspec.Struct):
    """What a tab has seen."""

    is_slow: bool
    modes: list[str]
    refusals: list[str]
    connections: int
    frames: int
    bytes: int
    topics: list[Shown]


class Result(msgspec.Struct):
    """What all have seen; seconds of processor time that it took."""

    cpu_seconds: float
    frames_a_second: float
    tabs: list[TabResult]


def page_of(number: int) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The page that a tab shows."""
    pages = [page for page, share in zip(PAGES, SHARES, strict=True) for _ in range(share)]
    return pages[number % len(pages)]


async def main() -> None:
    """Open the tabs, and write what they have seen."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    ears = [Ear() for _ in range(order.tabs)]
    tabs = [
        LiveTab(
            order.address,
            order.cookies[number % len(order.cookies)],
            [(ESTATE, *topic) for topic in page_of(number)],
            ears[number],
        )
        for number in range(order.tabs)
    ]
    runs = []
    for tab in tabs:
        runs.append(asyncio.create_task(tab.run()))
        await asyncio.sleep(0.02)
    while not all(tab.is_current for tab in tabs):  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    print("ready", flush=True)  # noqa: T201
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    # The measured stretch begins and ends when the bench says so, and so do those with a tab that is slow.
    await reader.readline()
    for ear in ears:
        ear.heard.clear()
    began, frames = time.monotonic(), sum(tab.frames for tab in tabs)
    while (word := await reader.readline()) != b"end\n":
        tabs[0].is_slow = word == b"slow\n"
    frames_a_second = (sum(tab.frames for tab in tabs) - frames) / (time.monotonic() - began)
    tabs[0].is_slow = False
    await reader.readline()
    await asyncio.sleep(QUIET_SECONDS)
    used = resource.getrusage(resource.RUSAGE_SELF)
    result = Result(
        cpu_seconds=used.ru_utime + used.ru_stime,
        frames_a_second=frames_a_second,
        tabs=[_result(tab, ear, is_slow=tab is tabs[0]) for tab, ear in zip(tabs, ears, strict=True)],
    )
    await asyncio.to_thread(Path(order.result).write_bytes, msgspec.json.encode(result))
    for run in runs:
        run.cancel()
    await asyncio.gather(*runs, return_exceptions=True)


def _result(tab: LiveTab, ear: Ear, *, is_slow: bool) -> TabResult:
    shown = [
        Shown(
            topic=topic.topic,
            params=topic.params,
            is_current=topic.is_current,
            resyncs=topic.resyncs,
            keys=list(topic.table.rows),
            rows=list(topic.table.rows.values()),
            facts=dict(topic.table.facts),
            heard=ear.heard[topic.topic],
        )
        for topic in tab.topics
    ]
    return TabResult(is_slow, tab.modes, tab.refusals, tab.connections, tab.frames, tab.bytes, shown)


if __name__ == "__main__":
    asyncio.run(main())
