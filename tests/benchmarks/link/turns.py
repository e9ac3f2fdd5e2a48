"""Turns: who is measured when, and one turn: start it, let its clients work under each load, measure, stop it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import msgspec

from tests.architecture.tidy import ROOT
from tests.benchmarks.link.client_process import Order, Role, Seen
from tests.benchmarks.link.contestant import ClientSpec, Contestant
from tests.benchmarks.link.figures import RunFigures, check_delivery, link_figures, run_figures
from tests.benchmarks.link.machine import BlockDevice
from tests.benchmarks.link.readings import Readings
from tests.benchmarks.link.servers import Servers

CLIENT_STOP_SECONDS: Final = 10.0
RUN_KEYS: Final = Random()


@dataclass(frozen=True)
class Load:
    """What the clients do in one run."""

    name: str
    count: int
    rate: float | None = None
    """Messages per second; None is as many as the brokers take."""
    is_backlog: bool = False
    """Whether everything waits at A before the link is opened, and only the link is measured."""


class ClientFailed(Exception):
    """A client ended without an answer; the message holds what it said."""


def in_turns(contestants: Sequence[Contestant], rounds: int) -> Iterator[tuple[int, Contestant]]:
    """Everybody once in each round; who is first in one round is last in the next."""
    for number in range(rounds):
        first = number % max(len(contestants), 1)
        for contestant in (*contestants[first:], *contestants[:first]):
            yield number, contestant


def turn(
    contestant: Contestant, number: int, warm_up: Load, loads: list[Load], tell: Callable[[str], None]
) -> Iterator[RunFigures]:
    """The figures of each load, on servers that were started for this turn; `tell` hears what is being done.

    `ServerFailed`, `ClientFailed` and `WrongDelivery` say that the turn does not count.
    """
    with Servers() as servers:
        tell("start")
        contestant.start(servers)
        disk, brokers = BlockDevice(servers.directory), list(contestant.processes().values())
        warm_up = replace(warm_up, count=max(warm_up.count, contestant.conversations))
        tell(warm_up.name)
        _, consumed = _run(contestant, warm_up, Readings(brokers, disk))
        check_delivery(warm_up.count, consumed)
        for load in loads:
            tell(load.name)
            readings = Readings(brokers, disk)
            if load.is_backlog:
                watched, consumed = _run_backlog(contestant, load, readings)
                yield link_figures(contestant.name, number, load.name, load.count, watched, consumed, readings.used)
            else:
                produced, consumed = _run(contestant, load, readings)
                yield run_figures(contestant.name, number, load.name, load.count, produced, consumed, readings.used)
        tell("stop")


def _run(contestant: Contestant, load: Load, readings: Readings) -> tuple[Seen, Seen]:
    """What producer and consumer saw; `readings` has read from the start of the clients to their end."""
    run = RUN_KEYS.getrandbits(63)
    with (
        _client("consume", contestant.consumer(), run, load) as consumer,
        _client("produce", contestant.producer(), run, load) as producer,
        readings,
    ):
        for each in (consumer, producer):
            _go(each)
        consumed, produced = _seen(consumer), _seen(producer)
    return produced, consumed


def _run_backlog(contestant: Contestant, load: Load, readings: Readings) -> tuple[Seen, Seen]:
    """What the watcher saw and, afterwards, a consumer; `readings` has read while the link was working."""
    run = RUN_KEYS.getrandbits(63)
    contestant.close_link()
    with _client("produce", contestant.producer(), run, load) as producer:
        _go(producer)
        _seen(producer)
    with _client("watch", contestant.watcher(), run, load) as watcher, readings:
        _go(watcher)
        contestant.open_link()
        watched = _seen(watcher)
    with _client("consume", contestant.consumer(), run, load) as consumer:
        _go(consumer)
        return watched, _seen(consumer)


def _go(client: subprocess.Popen[str]) -> None:
    assert client.stdin is not None
    client.stdin.write("go\n")
    client.stdin.flush()


def _seen(client: subprocess.Popen[str]) -> Seen:
    return msgspec.json.decode(_hear(client), type=Seen)


def _hear(client: subprocess.Popen[str]) -> str:
    assert client.stdout is not None
    line = client.stdout.readline()
    if not line:
        assert client.stderr is not None
        raise ClientFailed(f"a client ended without an answer:\n{client.stderr.read()[-2000:]}")
    return line


@contextmanager
def _client(role: Role, spec: ClientSpec, run: int, load: Load) -> Iterator[subprocess.Popen[str]]:
    """A client that has connected and prepared, and waits for the word to begin."""
    order = Order(
        role=role,
        factory=spec.factory,
        options=dict(spec.options),
        run=run,
        count=load.count,
        rate=load.rate,
    )
    with subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.link.client_process", msgspec.json.encode(order).decode()],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Ctrl-C is for the frame, which ends them in its own order.
        start_new_session=True,
    ) as process:
        try:
            _hear(process)
            yield process
            process.wait(CLIENT_STOP_SECONDS)
        finally:
            process.kill()
