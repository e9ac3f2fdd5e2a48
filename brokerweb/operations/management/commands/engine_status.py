"""`manage.py engine_status`: who hosts what, since when, with which revision, lag and memory.

It asks the dashboard's database alone, so it works wherever that is reached, and whether or not any worker lives. Exit
code 0: every instance runs with the wanted revision; 1: one does not; 2: the database could not be read, or there is no
such estate. With --watch the last table decides, and Ctrl-C ends it.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from typing import Any

import msgspec
from django.core.management.base import CommandError

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.numbered_command import NO_SUCH_OBJECT, REFUSED, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.operations.hosting_status import InstanceHosting, hosting_status, is_all_sound
from brokerweb.operations.hosting_text import status_lines

UNSOUND = 1
WATCH_SECONDS = 2.0
_CLEAR_SCREEN = "\x1b[2J\x1b[H"


class Command(NumberedCommand):
    help = "Show which worker hosts which instance, since when, with which revision, lag and memory."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--estate", help="of one estate only")
        parser.add_argument("--json", action="store_true", help="print one JSON object for each look")
        parser.add_argument("--watch", action="store_true", help=f"look again every {WATCH_SECONDS:g} s until Ctrl-C")

    def handle(self, *args: Any, **options: Any) -> None:
        is_sound = True
        try:
            while True:
                instances = self._look(options["estate"])
                is_sound = is_all_sound(instances)
                self._tell(instances, is_json=options["json"], is_watching=options["watch"])
                if not options["watch"]:
                    break
                time.sleep(WATCH_SECONDS)
        except KeyboardInterrupt:
            # How a watch ends.
            pass
        if not is_sound:
            sys.exit(UNSOUND)

    def _look(self, estate: str | None) -> list[InstanceHosting]:
        try:
            return hosting_status(estate)
        except ObjectNotFound as error:
            raise CommandError(numbered(NO_SUCH_OBJECT, str(error)), returncode=REFUSED) from error

    def _tell(self, instances: list[InstanceHosting], *, is_json: bool, is_watching: bool) -> None:
        if is_json:
            told = {"is_sound": is_all_sound(instances), "instances": instances}
            write_lines(self.stdout, [msgspec.json.encode(told).decode(), ""])
            return
        lines = [*status_lines(instances), ""]
        if is_watching and self.stdout.isatty():
            lines[0] = _CLEAR_SCREEN + lines[0]
        write_lines(self.stdout, lines)
