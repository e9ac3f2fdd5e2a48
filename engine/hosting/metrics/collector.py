"""`HostMetrics`: the instances of this process as Prometheus reads them, looked at when somebody asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from engine.core.system_views.counter_views import CounterRow
from engine.hosting.errors import EngineUnavailable
from engine.hosting.leases import InstanceFigures
from engine.hosting.metrics.mapping import ALL_DATABASES, VENDOR_METRICS, Kind, VendorMetric
from engine.hosting.metrics.reading import InstanceReading
from engine.hosting.shelf import InstanceKey

PLACE: Final = ("estate", "instance")
"""Labels that every metric of an instance has."""

Family = CounterMetricFamily | GaugeMetricFamily
Counters = dict[tuple[str, str], list[CounterRow]]
"""Rows by the vendor's names of object and counter; several where each database has one."""

_FIGURES: Final[tuple[tuple[str, str, Callable[[InstanceFigures], float | None]], ...]] = (
    ("up", "1 while the instance works, 0 while it has failed.", lambda each: float(not each.failure)),
    ("revision", "Revision of the topology that the instance has.", lambda each: each.revision),
    ("last_event", "Number of its last event.", lambda each: each.last_event),
    ("inbox", "What waits for its next commit.", lambda each: each.inbox),
    ("transmission_queue_messages", "Messages in its transmission queues.", lambda each: each.transmission),
    (
        "transmission_queue_oldest_seconds",
        "Age of the oldest of them; 0 when there is none.",
        lambda each: each.oldest_seconds or 0.0,
    ),
    ("ready_messages", "Messages that wait to be received.", lambda each: each.ready),
)
"""What is told of an instance besides the vendor's counters; of a failed one only the first."""

logger = logging.getLogger(__name__)


class HostMetrics(Collector):
    """Metrics of every instance that is hosted in this process; none where none is.

    A worker that hosts hundreds of instances has one of these: which instance is meant, labels say.
    """

    def __init__(self, read: Callable[[], Sequence[InstanceReading]]) -> None:
        """`read` looks at the instances; `EngineUnavailable` where there is no host, or it is busy for too long."""
        self._read = read

    def collect(self) -> Iterator[Family]:
        """Each family once, with a sample for each instance."""
        try:
            readings = self._read()
        except EngineUnavailable as error:
            logger.info("No instance is measured here: %s", error)
            readings = ()
        yield from _figures(readings)
        measured = [(reading.key, _by_counter(reading.counters)) for reading in readings]
        for metric in VENDOR_METRICS:
            yield _vendor_family(metric, measured)

    def describe(self) -> Iterable[Family]:
        """What there is to be told, without looking at any instance."""
        yield from _figures(())
        for metric in VENDOR_METRICS:
            yield _vendor_family(metric, ())


def _figures(readings: Sequence[InstanceReading]) -> Iterator[Family]:
    for position, (name, meaning, value) in enumerate(_FIGURES):
        family = GaugeMetricFamily(f"brokerweb_engine_instance_{name}", meaning, labels=PLACE)
        for reading in readings:
            found = value(reading.figures)
            if found is not None and (position == 0 or not reading.figures.failure):
                family.add_metric(reading.key, found)
        yield family


def _by_counter(rows: Sequence[CounterRow]) -> Counters:
    found: Counters = {}
    for row in rows:
        if row.instance != ALL_DATABASES:
            found.setdefault((row.object, row.name), []).append(row)
    return found


def _vendor_family(metric: VendorMetric, measured: Sequence[tuple[InstanceKey, Counters]]) -> Family:
    labels = (*PLACE, metric.label) if metric.label else PLACE
    kind = CounterMetricFamily if metric.kind is Kind.COUNTER else GaugeMetricFamily
    family = kind(metric.name, metric.help, labels=labels)
    for key, counters in measured:
        for label, value in _samples(metric, counters):
            family.add_metric((*key, *label), value * metric.scale)
    return family


def _samples(metric: VendorMetric, counters: Counters) -> Iterator[tuple[tuple[str, ...], int]]:
    """The numbers of a metric, each with the value of its own label, if it has one."""
    if metric.by_value:
        for value, name in zip(metric.by_value, metric.counters, strict=True):
            yield from (((value,), row.value) for row in counters.get((metric.object, name), ()))
        return
    for row in counters.get((metric.object, metric.counters[0]), ()):
        yield ((row.instance,) if metric.label else ()), row.value
