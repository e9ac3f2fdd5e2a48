"""The one registry of a web process; each of several processes has its own and is read by itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector

from engine import api as engine

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
# Where the engine works in this process, as with `make run`; elsewhere it tells of nothing.
REGISTRY.register(engine.worker.host_metrics())
