"""`manage.py run`: the whole product in one process, from nothing to a login link in one command."""

from __future__ import annotations

import signal
import sys
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from brokerweb.config.process.listening import NoPort
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.config.process.serving import serve


class Command(BaseCommand):
    help = "Start the dashboard and its engine in this process, and print a one-time login link."
    # The command checks and migrates by itself, so that the first start needs no other command.
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=_port, default=8000, help="or the next free port (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _stop)
        try:
            with data_directory_lock(settings.ENVIRONMENT.data_directory):
                serve(options["host"], options["port"], say=self._say)
        except (AlreadyRunning, NoPort) as refusal:
            raise CommandError(str(refusal)) from refusal
        except KeyboardInterrupt:
            # Before the server took over the signals, or while it was ending: either way somebody wants us to stop.
            sys.exit(0)

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise ValueError(f"{port} is no port")
    return port
