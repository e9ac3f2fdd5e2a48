"""The process of one client: `python -m tests.benchmarks.link.client_process ORDER`, with an `Order` as JSON.

It connects, prepares, says `ready`, waits for a line, works, and says what it saw as one line of JSON.
"""

from __future__ import annotations

import gc
import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, Final, Literal

import msgspec

from tests.benchmarks.link import messages
from tests.benchmarks.link.clients import Consumer, Producer, Watcher

SILENCE_SECONDS_MAX: Final = 60.0
"""When nothing arrives for so long, what is missing is lost."""
AFTERWARDS_SECONDS: Final = 0.3
"""How long a consumer that has everything listens for what comes twice."""
LATE_NS: Final = 1_000_000
LOOK_SECONDS: Final = 0.05
"""How often a watcher looks: what it asks must not cost the broker more than the messages do."""


Role = Literal["produce", "consume", "watch"]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What one client is to do."""

    role: Role
    factory: str
    options: dict[str, Any]
    run: int
    """Key of the run; messages of other runs are foreign."""
    count: int
    """Messages of the run."""
    rate: float | None = None
    """Messages per second; None is as many as the broker takes."""


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What one client saw. Times are readings of the clock that all processes share, in ns."""

    began_ns: int
    ended_ns: int
    """Everything is stored at A, or everything is taken for good from B."""
    cpu_seconds: float
    unique: int = 0
    repeated: int = 0
    foreign: int = 0
    missing: int = 0
    """Of a watcher: what has not come."""
    delays_ns: list[int] = []


def main(order: Order) -> Seen:
    """Carry out an order between the two words of the frame."""
    module, _, name = order.factory.partition(":")
    client = getattr(importlib.import_module(module), name)(**order.options)
    try:
        return _WORK[order.role](client, order)
    finally:
        client.close()


def _wait_for_the_start() -> float:
    """Say that we are ready; answers the processor seconds used so far when the frame says go."""
    gc.collect()
    gc.freeze()
    gc.disable()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    if not sys.stdin.readline():
        sys.exit("the frame is gone")
    return time.process_time()


def _produce(producer: Producer, order: Order) -> Seen:
    if order.rate is None:
        producer.prepare([messages.body(order.run, number) for number in range(order.count)])
    cpu = _wait_for_the_start()
    began = time.monotonic_ns()
    if order.rate is None:
        producer.send_prepared()
    else:
        _send_at_rate(producer, order, began, order.rate)
    return Seen(began_ns=began, ended_ns=time.monotonic_ns(), cpu_seconds=time.process_time() - cpu)


def _send_at_rate(producer: Producer, order: Order, began: int, rate: float) -> None:
    """One message after another at its time. A broker that holds us up is charged for what it delays."""
    for number in range(order.count):
        due = began + round(number * 1e9 / rate)
        while (ahead := due - time.monotonic_ns()) > 0:
            time.sleep(ahead / 1e9)
        sent = due if -ahead > LATE_NS else time.monotonic_ns()
        producer.send(messages.body(order.run, number, sent))


def _consume(consumer: Consumer, order: Order) -> Seen:
    tally = messages.Tally(order.run, order.count)
    cpu = _wait_for_the_start()
    began = ended = 0
    while not tally.is_complete:
        bodies = consumer.receive(SILENCE_SECONDS_MAX)
        now = time.monotonic_ns()
        if not bodies:
            break
        began = began or now
        tally.take(bodies, now)
        consumer.commit()
        ended = time.monotonic_ns()
    cpu = time.process_time() - cpu
    while bodies := consumer.receive(AFTERWARDS_SECONDS):
        tally.take(bodies, time.monotonic_ns())
        consumer.commit()
    return Seen(
        began_ns=began,
        ended_ns=ended,
        cpu_seconds=cpu,
        unique=tally.unique,
        repeated=tally.repeated,
        foreign=tally.foreign,
        delays_ns=tally.delays_ns,
    )


def _watch(watcher: Watcher, order: Order) -> Seen:
    """From the first look that sees messages to the first that sees all; `unique` came in between."""
    cpu = _wait_for_the_start()
    first = seen = 0
    began = now = time.monotonic_ns()
    moved = now
    while seen < order.count and now - moved < SILENCE_SECONDS_MAX * 1e9:
        time.sleep(LOOK_SECONDS)
        before, seen, now = seen, watcher.arrived(), time.monotonic_ns()
        if seen > before:
            moved = now
            first, began = (seen, now) if before == 0 else (first, began)
    return Seen(
        began_ns=began,
        ended_ns=moved,
        cpu_seconds=time.process_time() - cpu,
        unique=seen - first,
        foreign=order.count - seen,
    )


_WORK: Final[dict[str, Callable[[Any, Order], Seen]]] = {"produce": _produce, "consume": _consume, "watch": _watch}


if __name__ == "__main__":
    seen = main(msgspec.json.decode(sys.argv[1], type=Order))
    sys.stdout.write(msgspec.json.encode(seen).decode() + "\n")
