"""`make bench-live`: two hundred tabs look at an estate in which five thousand events happen a second.

Redis, daphne, a worker that hosts the instances, the traffic and the tabs are processes of their own on this machine.
The delay of an event is from its own time, when the turn began that committed it, to the moment at which a tab first
held a table that includes it. At the end every fold is compared with a snapshot over HTTP.

One tab reads slowly now and then, in every other stretch of the time: what it does to the others is told apart from
what comes with time, more conversations above all.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import quantiles
from typing import Any

import msgspec

from engine import api as engine
from tests.benchmarks.live.clients import Order as ClientsOrder
from tests.benchmarks.live.clients import Result, Shown
from tests.benchmarks.live.producers import Order as TrafficOrder
from tests.support.deployed import ESTATE, Deployed, deployed
from tests.support.running import REPOSITORY, Client

WARM_SECONDS = 10.0
STRETCHES = 10
MEMORY_SECONDS = 30.0
"""How often the memory is looked at."""
SAMPLES = 400
CLOCKS = {"instances": 1.0, "counters": 1.0}
"""Topics that are told once a second; their delays stand apart."""
NOT_TIMED = frozenset({"estate", "connections"})
"""Topics that tell nothing of most events."""
SAMPLED = frozenset({"counters", "connections", "estate", "trace"})
"""Topics whose figures move without events, or whose window depends on when it was opened: compared by other tests."""
TABS_OF_ONE = 50
"""A person may have 64."""
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run it and print the figures."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="bench-live-") as folder, deployed(Path(folder)) as (product, client):
        _measure(asked, product, client)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--tabs", type=int, default=200)
    parser.add_argument("--messages", type=float, default=1_100.0, help="messages a second; each is several events")
    return parser.parse_args()


def _measure(asked: argparse.Namespace, product: Deployed, client: Client) -> None:
    result = product.folder / "tabs.json"
    cookies = _people(client, -(-asked.tabs // TABS_OF_ONE))
    tabs = _start("clients", ClientsOrder(product.address, cookies, asked.tabs, str(result)))
    traffic = _start(
        "producers", TrafficOrder(product.broker_url, str(product.engine_directory), ESTATE, asked.messages)
    )
    assert tabs.stdout is not None
    assert tabs.stdout.readline() == b"ready\n"
    time.sleep(WARM_SECONDS)
    _say(tabs, "begin")
    began, events, used = time.time(), _newest(client), _processor(product)
    memory = [_resident(product)]
    stretches = [began]
    for number in range(STRETCHES):
        _say(tabs, "slow" if number % 2 else "fast")
        _pass(asked.seconds / STRETCHES, product, memory)
        stretches.append(time.time())
    ended, newest, processor = time.time(), _newest(client), _processor(product)
    seconds = ended - began
    _say(tabs, "end")
    done = json.loads(traffic.communicate(timeout=60)[0])
    _wait_until_quiet(client)
    fresh = _Fresh(client)
    _say(tabs, "stop")
    tabs.wait(60)
    seen = msgspec.json.decode(result.read_bytes(), type=Result)
    times = _event_times(product, events, newest)
    events_a_second = (sum(newest.values()) - sum(events.values())) / seconds
    _print(
        "events a second", f"{events_a_second:,.0f}", f"{done['sent'] / (seconds + WARM_SECONDS):,.0f} messages sent"
    )
    _delays(seen, times, began, ended)
    _print_slow(seen, times, stretches)
    share = {part: (processor[part] - used[part]) / seconds for part in used}
    _print("processor", ", ".join(f"{part} {value:.0%}" for part, value in share.items()))
    _print("web memory, MiB", ", ".join(f"{each / 2**20:.0f}" for each in memory))
    _print("frames a second", f"{seen.frames_a_second:,.0f}")
    _print("wrong folds", str(fresh.wrong(seen)))
    _modes(seen)


def _people(client: Client, count: int) -> list[str]:
    """Cookies of people who are logged in."""
    cookies = []
    for number in range(count):
        name = f"tabs-{number}"
        client.post_json("users", {"username": name, "role": "viewer"}).raise_for_status()
        link = client.post_json(f"users/{name}/login-link", {}).raise_for_status().json()
        with Client.logged_in(str(client.base_url.join(link["path"]))) as person:
            cookies.append("; ".join(f"{name}={value}" for name, value in person.cookies.items()))
    return cookies


def _start(module: str, order: msgspec.Struct) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.benchmarks.live.{module}", msgspec.json.encode(order).decode()],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def _say(process: subprocess.Popen[bytes], word: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{word}\n".encode())
    process.stdin.flush()


def _pass(seconds: float, product: Deployed, memory: list[int]) -> None:
    """Let time pass, and note the web's memory now and then."""
    steps = max(round(seconds / MEMORY_SECONDS), 1)
    for _ in range(steps):
        time.sleep(seconds / steps)
        memory.append(_resident(product))


def _snapshot(client: Client, topic: str, params: dict[str, Any]) -> dict[str, Any]:
    answer = client.get(f"estates/{ESTATE}/live/{topic}", params=params)
    return answer.raise_for_status().json()


def _newest(client: Client) -> dict[str, int]:
    return _snapshot(client, "instances", {})["events"]


def _wait_until_quiet(client: Client) -> None:
    """Until no instance has had an event for a while."""
    before: dict[str, int] = {}
    while (now := _newest(client)) != before:
        before = now
        time.sleep(3.0)


def _resident(product: Deployed) -> int:
    pages = int(Path(f"/proc/{product.process_id('web')}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _processor(product: Deployed) -> dict[str, float]:
    """Seconds that each part has used of the processors."""
    used = {}
    for part in ("web", "worker"):
        fields = Path(f"/proc/{product.process_id(part)}/stat").read_text().rsplit(")", 1)[1].split()
        used[part] = (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND
    return used


class _Fresh:
    """Snapshots over HTTP, one for each topic with its parameters."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, dict[str, Any]] = {}

    def wrong(self, seen: Result) -> int:
        """How many folds are not what a snapshot shows."""
        return sum(self._is_wrong(shown) for tab in seen.tabs for shown in tab.topics if shown.topic not in SAMPLED)

    def _is_wrong(self, shown: Shown) -> bool:
        key = f"{shown.topic} {shown.params}"
        if key not in self._known:
            self._known[key] = _snapshot(self._client, shown.topic, shown.params)
        fresh = self._known[key]
        return not shown.is_current or (shown.keys, shown.rows) != (fresh["keys"], fresh["rows"])


def _event_times(product: Deployed, first: dict[str, int], last: dict[str, int]) -> dict[str, list[tuple[int, float]]]:
    """Numbers and times of some of the events of each instance, evenly taken."""
    engine.configure(engine.HostingSettings(data_directory=product.engine_directory, broker_url=product.broker_url))
    times: dict[str, list[tuple[int, float]]] = {}
    for instance, sequence in last.items():
        step = max((sequence - first[instance]) // SAMPLES, 1)
        found = [engine.events_after(ESTATE, instance, number, 1) for number in range(first[instance], sequence, step)]
        times[instance] = [(each[0][0], each[0][1].at) for each in found if each]
    return times


def _delays(seen: Result, times: dict[str, list[tuple[int, float]]], began: float, ended: float) -> None:
    by_topic = _by_topic(seen, times, began, ended)
    for topic, delays in sorted(by_topic.items()):
        _print(f"delay, {topic}", _percentiles(delays))
    _print("delay, tables and trace", _percentiles(_of_tables(by_topic)))


def _print_slow(seen: Result, times: dict[str, list[tuple[int, float]]], stretches: list[float]) -> None:
    """What a tab that reads slowly, in every other stretch, does to all others."""
    without: list[float] = []
    beside: list[float] = []
    for number, (began, ended) in enumerate(pairwise(stretches)):
        delays = _of_tables(_by_topic(seen, times, began, ended))
        (beside if number % 2 else without).extend(delays)
    if min(len(without), len(beside)) > 1:
        ratio = quantiles(beside, n=100)[94] / quantiles(without, n=100)[94]
        _print("beside a slow tab", f"{_percentiles(beside)}: p95 is {ratio:.2f} of what it is without")


def _by_topic(
    seen: Result, times: dict[str, list[tuple[int, float]]], began: float, ended: float
) -> dict[str, list[float]]:
    """Delays of the events of a stretch in all tabs that read as they should."""
    by_topic: defaultdict[str, list[float]] = defaultdict(list)
    for tab in seen.tabs:
        for shown in tab.topics:
            if not tab.is_slow and shown.topic not in NOT_TIMED:
                for instance in shown.params.get("instances", times):
                    by_topic[shown.topic] += _delays_of(shown, instance, times[instance], began, ended)
    return by_topic


def _of_tables(by_topic: dict[str, list[float]]) -> list[float]:
    return [delay for topic, delays in by_topic.items() if topic not in CLOCKS for delay in delays]


def _delays_of(shown: Shown, instance: str, times: list[tuple[int, float]], began: float, ended: float) -> list[float]:
    """From each event to the first table that includes it, where it came before the end."""
    heard = [(events[instance], at) for at, events in shown.heard if instance in events]
    numbers = [number for number, _ in heard]
    delays = []
    for number, at in times:
        place = bisect_left(numbers, number)
        if began < at < ended - 2.0 and place < len(heard):
            delays.append(heard[place][1] - at)
    return delays


def _percentiles(delays: list[float]) -> str:
    if len(delays) < 2:
        return "none"
    cuts = quantiles(delays, n=100)
    return f"p50 {cuts[49] * 1e3:,.0f} ms, p95 {cuts[94] * 1e3:,.0f} ms, p99 {cuts[98] * 1e3:,.0f} ms"


def _modes(seen: Result) -> None:
    reduced = Counter("slow" if tab.is_slow else "other" for tab in seen.tabs if "reduced" in tab.modes)
    _print("reduced", f"the slow tab {reduced['slow']} of 1, others {reduced['other']} of {len(seen.tabs) - 1}")
    _print("resyncs", str(sum(shown.resyncs for tab in seen.tabs for shown in tab.topics)))
    _print(
        "connections",
        str(sum(tab.connections for tab in seen.tabs)),
        f"refused {Counter(r for t in seen.tabs for r in t.refusals)}",
    )
    _print(
        "tabs' process", f"{seen.cpu_seconds:.0f} s of processor", f"{sum(t.bytes for t in seen.tabs) / 2**20:,.0f} MiB"
    )


def _print(name: str, *values: str) -> None:
    print(f"{name:<26}", *values, sep="  ", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
