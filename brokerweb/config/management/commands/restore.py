"""`manage.py restore DIR`: put a backup back, whole, into a data folder on which nothing runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.config.backup.refusals import BackupRefused
from brokerweb.config.backup.restoring import restore_backup


class Command(NumberedCommand):
    help = "Put a backup back. It is checked first, and what is there now is kept beside it."
    # Nothing of the project is needed to put its data back, least of all a database in order.
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", metavar="DIR", help="folder that `manage.py backup` has written")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(options["folder"]).expanduser().absolute()
        try:
            restored = restore_backup(settings.ENVIRONMENT, folder)
        except BackupRefused as refusal:
            raise CommandError(numbered(refusal.number, str(refusal)), returncode=REFUSED) from refusal
        manifest = restored.manifest
        self.stdout.write(
            f"{len(manifest.stores)} instances and everything else are as of {manifest.made_at} in "
            f"{settings.ENVIRONMENT.data_directory}."
        )
        if restored.kept is not None:
            self.stdout.write(f"What was there before is in {restored.kept}; remove it once you do not miss anything.")
        self.stdout.write("Everybody has to log in again. Passwords, rights and tokens are those of then, too.")
