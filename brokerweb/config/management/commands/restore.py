"""`manage.py restore DIR`: restore a backup into a data folder on which nothing runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.config.backup.refusals import BackupRefused
from brokerweb.config.backup.restore import restore_backup


class Command(NumberedCommand):
    help = "Restore a backup. It is verified first, and the data of before are kept beside it."
    # A database that is damaged or missing must not prevent its restore.
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
            f"{settings.ENVIRONMENT.data_directory} is restored as of {manifest.made_at}, with "
            f"{len(manifest.stores)} instances."
        )
        if restored.kept is not None:
            self.stdout.write(f"The data of before are in {restored.kept}. Remove them when they are not needed.")
        self.stdout.write(
            "All sessions and login links have ended. Passwords, rights and tokens are those of the backup: one that "
            "was changed or taken away since must be changed again."
        )
