"""`manage.py backup DIR`: back up this installation as of one moment, also while it runs."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.config.backup.refusals import BackupRefused
from brokerweb.config.backup.snapshot import take_backup


class Command(NumberedCommand):
    help = "Write the dashboard's database, all stores with their logs, keys, lake and results into a new folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", metavar="DIR", help="folder that does not exist yet")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(options["folder"]).expanduser().absolute()
        try:
            manifest = take_backup(settings.ENVIRONMENT, folder)
        except BackupRefused as refusal:
            raise CommandError(numbered(refusal.number, str(refusal)), returncode=REFUSED) from refusal
        self.stdout.write(
            f"{folder} has {len(manifest.stores)} instances in {len(manifest.files)} files, "
            f"{manifest.bytes / 1_000_000:.1f} MB, as of {manifest.made_at}. Instances were held for "
            f"{manifest.held_seconds:.1f} s. It contains keys and hashes of passwords: keep it as safe as the "
            "data folder."
        )
