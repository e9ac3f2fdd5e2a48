from __future__ import annotations

import atexit

from django.apps import AppConfig
from django.conf import settings


class ConfigConfig(AppConfig):
    """The processes of the product: `run`, `export_openapi`."""

    name = "brokerweb.config"
    label = "config"
    verbose_name = "Processes"

    def ready(self) -> None:
        import brokerweb.config.process.connections  # noqa: F401  registers its check
        from brokerweb.common.database import close_pools
        from brokerweb.config.engine import configure_engine

        # Its threads would be waited for at the end of the process.
        atexit.register(close_pools)
        configure_engine(settings.ENVIRONMENT)
