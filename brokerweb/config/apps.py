from __future__ import annotations

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The processes of the product: `run`, `export_openapi`."""

    name = "brokerweb.config"
    label = "config"
    verbose_name = "Processes"
