"""`manage.py run`: the whole product in one process, from nothing to a login link in one command."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, UNUSABLE, NumberedCommand, numbered
from brokerweb.config.process.early_exit import leave_at_once_on_signals
from brokerweb.config.process.last_exit import leave_within
from brokerweb.config.process.listening import PORT_MAX, NoPort
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.config.process.serving import serve

ALREADY_OPEN = 924


class Command(NumberedCommand):
    help = "Start the dashboard and its engine in this process, and print a one-time login link."
    # The command checks and migrates by itself, so that the first start needs no other command.
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument(
            "--port", default="8000", help="or the next free port; 0 takes any free one (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        port = _port(str(options["port"]))
        leave_at_once_on_signals()
        try:
            with data_directory_lock(settings.ENVIRONMENT.data_directory) as record_address:
                serve(options["host"], port, say=self._say, record_address=record_address)
            leave_within()
        except AlreadyRunning as refusal:
            raise CommandError(numbered(ALREADY_OPEN, str(refusal)), returncode=REFUSED) from refusal
        except NoPort as refusal:
            raise CommandError(numbered(refusal.number, str(refusal)), returncode=REFUSED) from refusal

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _port(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= len(str(PORT_MAX)) and int(text) <= PORT_MAX:
        return int(text)
    told = (
        f"{text!r} is no port. A port is a number from 1 to {PORT_MAX}, or 0 for any free one: "
        "`make run PORT=8100` or `manage.py run --port 8100`."
    )
    raise CommandError(numbered(UNUSABLE, told), returncode=REFUSED)
