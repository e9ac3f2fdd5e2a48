"""The door to the worker of this process: what `engine.api` hands on.

Whoever lives beside the engine in a worker begins after its step, `EngineBootstep`, and ends before it.
"""

from __future__ import annotations

from engine.hosting.bootstep import EngineBootstep, running_host_readings, tasks_may_ask
from engine.hosting.metrics.collector import HostMetrics

__all__ = ["EngineBootstep", "HostMetrics", "host_metrics", "tasks_may_ask"]


def host_metrics() -> HostMetrics:
    """Metrics of the instances that this process hosts, whenever somebody reads them; none while it hosts none."""
    return HostMetrics(running_host_readings)
