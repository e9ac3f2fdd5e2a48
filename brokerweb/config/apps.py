from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings


class ConfigConfig(AppConfig):
    """The processes of the product: `run`, `export_openapi`."""

    name = "brokerweb.config"
    label = "config"
    verbose_name = "Processes"

    def ready(self) -> None:
        from brokerweb.config.engine import configure_engine

        configure_engine(settings.ENVIRONMENT)
