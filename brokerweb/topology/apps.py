from __future__ import annotations

from django.apps import AppConfig


class TopologyConfig(AppConfig):
    name = "brokerweb.topology"
    label = "topology"
    verbose_name = "Topology"
