"""The door of the metrics: what `engine.api` hands on."""

from __future__ import annotations

from engine.hosting.bootstep import running_host_readings
from engine.hosting.metrics.collector import HostMetrics

__all__ = ["HostMetrics", "host_metrics"]


def host_metrics() -> HostMetrics:
    """Metrics of the instances that this process hosts, whenever somebody reads them; none while it hosts none."""
    return HostMetrics(running_host_readings)
