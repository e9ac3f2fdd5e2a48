from __future__ import annotations

from django.apps import AppConfig


class LeasesConfig(AppConfig):
    name = "brokerweb.common.leases"
    label = "leases"
    verbose_name = "Leases"
