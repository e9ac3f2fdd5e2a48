"""From what clients and machine have seen to the figures of a run, and from runs to medians."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

import msgspec

from tests.benchmarks.link.client_process import Seen
from tests.benchmarks.link.readings import Used


class RunFigures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of one contestant; a line of the JSON file."""

    contestant: str
    round: int
    load: str
    """`throughput`, `link` or `latency`."""
    messages: int
    seconds: float
    """From the first SEND to the last message taken for good; of a backlog, what the link needed for it."""
    messages_per_second: float
    broker_cpu_per_10k: float
    """Processor seconds of the brokers for 10,000 messages."""
    producer_cpu_per_10k: float
    consumer_cpu_per_10k: float
    resident_mib: float
    """Most that the brokers' processes had resident, shared pages counted several times."""
    proportional_mib: float | None
    """The same, shared pages counted once; None where the system does not tell."""
    flushes: int | None
    """Flush requests of the disk; None where the system does not count them."""
    foreign_cores: float
    """Processors that others used meanwhile."""
    p50_ms: float | None = None
    p99_ms: float | None = None


class WrongDelivery(Exception):
    """Not exactly the messages that were sent have arrived."""


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed. Empty values are a ValueError."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def check_delivery(count: int, seen: Seen) -> None:
    """Raise `WrongDelivery` unless exactly `count` messages have arrived, each once."""
    if (seen.unique, seen.repeated, seen.foreign) != (count, 0, 0):
        raise WrongDelivery(
            f"of {count} messages {seen.unique} arrived, {seen.repeated} more than once; {seen.foreign} were foreign"
        )


def run_figures(
    contestant: str, number: int, load: str, count: int, produced: Seen, consumed: Seen, used: Used
) -> RunFigures:
    """The figures of one run. `WrongDelivery` when it does not count."""
    check_delivery(count, consumed)
    seconds = (consumed.ended_ns - produced.began_ns) / 1e9
    delays_ms = [delay / 1e6 for delay in consumed.delays_ns]
    return RunFigures(
        contestant=contestant,
        round=number,
        load=load,
        messages=count,
        seconds=seconds,
        messages_per_second=count / seconds,
        broker_cpu_per_10k=used.broker_cpu * 1e4 / count,
        producer_cpu_per_10k=produced.cpu_seconds * 1e4 / count,
        consumer_cpu_per_10k=consumed.cpu_seconds * 1e4 / count,
        resident_mib=used.resident / 2**20,
        proportional_mib=None if used.proportional is None else used.proportional / 2**20,
        flushes=used.flushes,
        foreign_cores=used.foreign_cores,
        p50_ms=percentile(delays_ms, 0.5) if delays_ms else None,
        p99_ms=percentile(delays_ms, 0.99) if delays_ms else None,
    )


def link_figures(
    contestant: str, number: int, load: str, count: int, watched: Seen, consumed: Seen, used: Used
) -> RunFigures:
    """The figures of a link that carried a backlog: from the first messages seen at B until all were seen there.

    `WrongDelivery` when it does not count, also when the first look saw everything.
    """
    if watched.missing or not watched.unique:
        raise WrongDelivery(f"of {count} messages {count - watched.missing} came over the link, too few or all at once")
    run = run_figures(contestant, number, load, count, watched, consumed, used)
    seconds = (watched.ended_ns - watched.began_ns) / 1e9
    return msgspec.structs.replace(
        run, seconds=seconds, messages_per_second=watched.unique / seconds, producer_cpu_per_10k=0.0
    )


class Spread(msgspec.Struct, frozen=True):
    """A figure over the rounds."""

    median: float
    least: float
    most: float


def spread(values: Sequence[float | None]) -> Spread | None:
    """Median, least and most of the runs; None when a run has no such figure, or there are no runs."""
    known = [value for value in values if value is not None]
    if not known or len(known) != len(values):
        return None
    return Spread(statistics.median(known), min(known), max(known))
