from __future__ import annotations

from django.apps import AppConfig


class OutboxConfig(AppConfig):
    name = "brokerweb.common.outbox"
    label = "outbox"
    verbose_name = "Outbox"
