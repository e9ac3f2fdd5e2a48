"""`manage.py prepare`: what several processes need done once, before any of them starts."""

from __future__ import annotations

from typing import Any

from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.config.engine import require_service_key
from brokerweb.config.process.first_run import prepare_first_run
from brokerweb.config.process.serving import migrate


class Command(NumberedCommand):
    help = "Bring the database up to date; on the first start, make the administrator and load the sample estate."
    # The command migrates by itself.
    requires_migrations_checks = False

    def handle(self, *args: Any, **options: Any) -> None:
        require_service_key()
        migrate()
        prepare_first_run()
