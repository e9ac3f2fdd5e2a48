"""The generated parts of docs/operations/metrics.md: the vendor's counters with their metrics, and our own."""

import os
from pathlib import Path

import django
from django.apps import apps

from engine.hosting.metrics.collector import HostMetrics
from engine.hosting.metrics.mapping import NOT_EXPOSED, VENDOR_METRICS

DOCUMENT = Path(__file__).parents[2] / "docs" / "operations" / "metrics.md"


def generated_parts() -> dict[str, str]:
    """The text of each part by its name."""
    return {"vendor": _vendor(), "not-exposed": _not_exposed(), "instances": _instances(), "web": _web()}


def _vendor() -> str:
    rows = ["", "| object | counter | metric | meaning |", "|---|---|---|---|"]
    for metric in VENDOR_METRICS:
        label = f"{{{metric.label}}}" if metric.label else ""
        counters = " · ".join(metric.counters)
        rows.append(f"| {metric.object} | {counters} | `{metric.exposed_name}{label}` | {metric.meaning} |")
    return "\n".join([*rows, ""])


def _not_exposed() -> str:
    return "\n".join(["", *(f"- {of}: {', '.join(names)}" for of, names in NOT_EXPOSED.items()), ""])


def _instances() -> str:
    vendor = {metric.name for metric in VENDOR_METRICS}
    families = [each for each in HostMetrics(lambda: ()).describe() if each.name not in vendor]
    return _families(families)


def _web() -> str:
    if not apps.ready:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "brokerweb.config.settings.test")
        django.setup()
    from brokerweb.config.metrics.requests import REFUSED, REQUESTS, SECONDS
    from brokerweb.config.metrics.stored import StoredMetrics
    from brokerweb.config.metrics.websockets import CLIENTS

    metrics = (REQUESTS, SECONDS, REFUSED, CLIENTS, StoredMetrics())
    return _families(family for each in metrics for family in each.describe())


def _families(families) -> str:
    rows = ["", "| metric | kind | meaning |", "|---|---|---|"]
    for family in families:
        name = f"{family.name}_total" if family.type == "counter" else family.name
        rows.append(f"| `{name}` | {family.type} | {family.documentation} |")
    return "\n".join([*rows, ""])
