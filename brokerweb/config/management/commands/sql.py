"""`manage.py sql INSTANCE DATABASE [-f FILE]`: a T-SQL session on a running instance, typed or read from a file.

Exit code 0: nothing failed; 1: a statement failed, and the error is on standard error; 2: there is no such instance,
the file could not be read, or no process hosts the instance. Typed lines run at GO, and at the end of the input.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.common.given_files import NOT_TEXT, FileRefused, script_given
from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.config.engine import embedded_engine
from brokerweb.config.process.lock import AlreadyRunning, data_directory_lock
from brokerweb.operations.services.console import console_open
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.topology.selectors.places import DatabasePlace, database_place
from engine import api as engine

FAILED: Final = 1
SCRIPT_BYTES_MAX: Final = 1 << 20
NO_ANSWER: Final = 233


class Command(NumberedCommand):
    help = "Run T-SQL on a database of a running instance (docs/operations/console.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("instance", metavar="INSTANCE")
        parser.add_argument("database", metavar="DATABASE")
        parser.add_argument(
            "-f", "--file", metavar="FILE", help="a script in UTF-8, UTF-16 or Windows-1252 (default: what is typed)"
        )
        parser.add_argument("--estate", help="the estate; may be left out when there is only one")

    def handle(self, *args: Any, **options: Any) -> None:
        estate = estate_named_or_only(options["estate"])
        place = database_place(estate, options["instance"], options["database"])
        script = None if options["file"] is None else self._script(options["file"])
        with ExitStack() as stack:
            try:
                session = _connection(stack, place)
            except (engine.EngineUnavailable, AlreadyRunning) as error:
                raise CommandError(numbered(NO_ANSWER, str(error)), returncode=REFUSED) from error
            console = console_open(place, user=None, session=session)
            stack.callback(console.close)
            has_failed = False
            try:
                for text in [script] if script is not None else self._typed(console):
                    is_failure = self._run(console, text)
                    has_failed = has_failed or is_failure
                    if is_failure and console.exits_on_error:
                        break
            except KeyboardInterrupt:
                has_failed = True
        if has_failed:
            sys.exit(FAILED)

    def _script(self, name: str) -> str:
        try:
            script = script_given(name, bytes_max=SCRIPT_BYTES_MAX)
        except FileRefused as refused:
            raise CommandError(str(refused), returncode=REFUSED) from refused
        if script.assumed is not None:
            write_lines(self.stderr, [f"{name} is read as {script.assumed}."])
        return script.text

    def _run(self, console: engine.console.ConsoleSession, script: str) -> bool:
        """Run a script and show what it answers; whether anything failed."""
        has_failed = False
        for output in console.run(script):
            is_failure = isinstance(output, engine.console.Failed)
            has_failed = has_failed or is_failure
            write_lines(self.stderr if is_failure else self.stdout, [*engine.console.output_lines(output), ""])
        return has_failed

    def _typed(self, console: engine.console.ConsoleSession) -> Iterator[str]:
        """Scripts from standard input, each up to a line that says GO; nothing runs twice.

        What is piped is one script: after a refusal, which a person would see, the rest of it does not run.
        """
        is_person = sys.stdin.isatty()
        lines: list[str] = []
        while True:
            if is_person:
                self.stdout.write(f"{console.database}{'*' if console.transaction_count else ''}> ", ending="")
                self.stdout.flush()
            try:
                line = sys.stdin.readline()
            except UnicodeDecodeError as error:
                refusal = engine.LocalProtocolError(NOT_TEXT, name="stdin", detail="UTF-8")
                raise CommandError(f"{refusal}. {refusal.cure}", returncode=REFUSED) from error
            lines.append(line)
            if not line or line.strip().upper().removesuffix(";").split(" ")[0] == "GO":
                yield "".join(lines)
                lines = []
            if not line or (console.has_stopped and not is_person):
                return


def _connection(stack: ExitStack, place: DatabasePlace) -> engine.EngineSession | None:
    """How this process reaches the instance: None where tasks do, because a broker carries them.

    Without a broker the engine is in the process that runs the dashboard; where none does, it is started here.
    """
    environment = settings.ENVIRONMENT
    if environment.celery_broker_url is not None:
        return None
    with suppress(engine.EngineUnavailable):
        return stack.enter_context(engine.open_session(place.estate, place.instance))
    stack.enter_context(data_directory_lock(environment.data_directory))
    worker = embedded_engine()
    worker.start()
    stack.callback(worker.stop)
    return stack.enter_context(engine.open_session(place.estate, place.instance))
