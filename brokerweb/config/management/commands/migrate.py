"""`manage.py migrate`: Django's own, but for a database of a later version or in the middle of a restore."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.commands import migrate

from brokerweb.config.data_directory import ensure_no_restore
from brokerweb.config.process.migrations import ensure_no_later_version


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        ensure_no_restore(settings.ENVIRONMENT.data_directory)
        ensure_no_later_version(options["database"])
        super().handle(*args, **options)
