from __future__ import annotations

from django.apps import AppConfig


class TrafficConfig(AppConfig):
    name = "brokerweb.traffic"
    label = "traffic"
    verbose_name = "Test traffic"
