"""One deployment: it is set up, put under load, struck a number of times, let come to rest, and judged."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from engine.hosting.app import configure
from engine.hosting.settings import HostingSettings
from tests.chaos.links import Links
from tests.chaos.storage import Stores, storage_of
from tests.chaos.strikes import Striker
from tests.chaos.verdict import findings
from tests.chaos.workload import PAUSE_SECONDS, Load
from tests.engine.hosting.engine_process import persistently
from tests.engine.hosting.leased_workers import Deployment, forget_broker
from tests.engine.hosting.two_instances import begin_dialog, define
from tests.support.redis_server import RedisServer

WORKERS: Final = ("one", "two", "three")
DIALOGS: Final = 8
DIALOGS_BY_TASK: Final = 2
CALM_SECONDS: Final = (1.0, 4.0)
RECOVERY_SECONDS_MAX: Final = 180.0
REST_SECONDS_MAX: Final = 180.0


class Report(msgspec.Struct):
    """What came of a run."""

    found: list[str] = msgspec.field(default_factory=list)
    """What is wrong, a sentence each."""
    sent: int = 0
    received: int = 0
    rolled_back: int = 0
    recoveries: dict[str, list[float]] = msgspec.field(default_factory=lambda: defaultdict(list))
    """For each kind of strike: seconds from its end until everybody got answers again."""

    def add(self, other: Report) -> None:
        """Take in another run."""
        self.found += other.found
        self.sent += other.sent
        self.received += other.received
        self.rolled_back += other.rolled_back
        for name, seconds in other.recoveries.items():
            self.recoveries[name] += seconds


def run(
    stores: Stores,
    strikes: Sequence[str],
    seed: str,
    directory: Path,
    *,
    workers: Sequence[str] = WORKERS,
    length: float = 1.0,
    pause_seconds: float = PAUSE_SECONDS,
) -> Report:
    """Set up a deployment in an empty directory and strike it so.

    `length` is as `Striker` has it, and that of the calm between two strikes; senders pause for `pause_seconds` between
    two batches.
    """
    with ExitStack() as stack:
        broker = RedisServer(directory)
        stack.callback(broker.end)
        forget_broker()
        data = directory / "data" / "engine"
        links = stack.enter_context(Links(data, seed))
        storage = stack.enter_context(storage_of(stores))
        configure(HostingSettings(data_directory=data, broker_url=broker.url))
        deployment = Deployment(directory, broker.url, storage.environment)
        stack.callback(forget_broker)
        stack.callback(deployment.end)
        deployment.start(*workers)
        persistently(define)
        load = Load(*([begin_dialog() for _ in range(count)] for count in (DIALOGS, DIALOGS_BY_TASK)), pause_seconds)
        load.start()
        striker = Striker(deployment, broker, links, storage, load, Random(seed), length=length)
        report = Report()
        calm = Random(f"{seed} calm")
        _strike(strikes, striker, lambda: calm.uniform(*CALM_SECONDS) * length, load, report)
        _come_to_rest(load, report)
        report.found += [f"{name} has ended by itself: {deployment.log(name)[-2000:]}" for name in deployment.dead]
        return report


def _strike(strikes: Sequence[str], striker: Striker, calm: Callable[[], float], load: Load, report: Report) -> None:
    for number, name in enumerate(strikes, start=1):
        time.sleep(calm())
        began = time.monotonic()
        try:
            whom = striker.strike(name)
        except AssertionError as error:
            report.found.append(f"{name}: {error}")
            return
        ended = time.monotonic()
        goes_on = _goes_on(load)
        seconds = time.monotonic() - ended
        report.recoveries[name].append(seconds)
        say(
            f"{number:4}/{len(strikes)}  {name:<25} {whom:<20} {ended - began:5.1f} s, goes on after {seconds:4.1f} s"
            f"  sent {sum(load.confirmed[:-1]):>8,}  received {load.confirmed[-1]:>8,}",
        )
        if not goes_on:
            report.found.append(f"{name}: nothing went on for {seconds:.0f} s, confirmed {load.confirmed}")
            return


def _goes_on(load: Load) -> bool:
    """Until everybody is confirmed something new; False when that does not come, or may not."""
    before, deadline = load.confirmed, time.monotonic() + RECOVERY_SECONDS_MAX
    while any(now <= then for now, then in zip(load.confirmed, before, strict=True)):
        if load.failures or time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _come_to_rest(load: Load, report: Report) -> None:
    for each in load.senders:
        each.end()
    for each in load.senders:
        each.join(REST_SECONDS_MAX)
    sent, reader = load.sent, load.reader
    until = time.monotonic() + REST_SECONDS_MAX
    while len(reader.received) < len(sent) and not reader.failure and time.monotonic() < until:
        time.sleep(0.2)
    # What came twice would come now.
    time.sleep(3.0)
    reader.end()
    reader.join(REST_SECONDS_MAX)
    report.found += load.failures
    report.found += [f"{each.name} never came to an end" for each in load.everybody if each.is_alive()]
    report.found += findings(sent, reader.received)
    report.sent, report.received, report.rolled_back = len(sent), len(reader.received), reader.rolled_back


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
