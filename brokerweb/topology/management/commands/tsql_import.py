"""`manage.py tsql_import FILE…`: T-SQL scripts and collected servers into a change set or a new estate, all or nothing.

Exit code 0: done, or with --dry-run: could be done; 1: a script has a mistake, and nothing was done; 2: a file could
not be read, there is no such estate, or there is nothing to read, and nothing was done.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any, Literal

from django.core.management.base import CommandError

from brokerweb.common.errors import EngineRefused, WebProblem
from brokerweb.common.given_files import SCRIPT_BYTES_MAX, FileRefused, GivenScript, script_given, script_piped
from brokerweb.common.numbered_command import UNUSABLE, NumberedCommand, numbered, told_problem
from brokerweb.common.terminal import write_lines
from brokerweb.topology.import_text import told
from brokerweb.topology.names import check_estate_name
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.topology.services.imports import NEW, ImportResult, estate_import, import_report
from engine.api import Effect, imports, json_encoder

REFUSED, UNREADABLE = 1, 2
STANDARD_INPUT = "-"
_DIGITS_MAX = 9
LONG_LETTERS = 1_000_000
"""From so many on an import takes long enough to say that it is under way."""


class Command(NumberedCommand):
    help = (
        "Read T-SQL scripts and what docs/collect/collect.sql wrote into a change set, or an estate that is new "
        "(docs/operations/importing-tsql.md); one mistake, and nothing is done."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            metavar="FILE",
            help=f"a script or a collection in UTF-8, UTF-16 or Windows-1252; {STANDARD_INPUT} is standard input",
        )
        parser.add_argument("--estate", help="the estate, made when it is new; may be left out when there is only one")
        parser.add_argument("--instance", help="where a script begins until it says :CONNECT")
        parser.add_argument(
            "--database",
            help="where a script begins until it says USE (default: master); made where no script makes it",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            type=_variable,
            metavar="NAME=VALUE",
            help="the value of $(NAME), as sqlcmd -v gives it; may be repeated",
        )
        parser.add_argument(
            "--leave-out",
            action="append",
            default=[],
            type=_place,
            metavar="[FILE:]LINE",
            help="leave out the statement that begins there, or that object of a collection; may be repeated",
        )
        parser.add_argument(
            "--change-set",
            type=_change_set,
            metavar="NUMBER|new",
            help="the change set of an estate that there is (default: new); nothing is live before it is applied",
        )
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
        parser.add_argument("--json", action="store_true", help="print effects, mistakes, warnings as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        scripts = self._read(options["files"])
        length = sum(len(text) for _, text in scripts)
        if length >= LONG_LETTERS:
            write_lines(
                self.stderr, [f"Reading {length:,} letters in {len(scripts)} scripts, which may take a minute ..."]
            )
        try:
            estate = estate_named_or_only(options["estate"])
            check_estate_name(estate)
            result = self._import(estate, scripts, options)
        except WebProblem as error:
            self._refuse([told_problem(error)])
            return
        left_out = {(row.file, row.line) for row in result.plan.rows if row.effect is Effect.IGNORED}
        for name, line in options["leave_out"]:
            place = name or scripts[0][0], line
            if place not in left_out and not imports.is_collection(dict(scripts)[place[0]]):
                write_lines(self.stderr, [f"warning {place[0]}:{line}: no statement begins there."])
        if options["json"]:
            write_lines(self.stdout, [json_encoder.encode(import_report(result)).decode()])
        else:
            write_lines(self.stdout, told(result))
        if result.plan.problems:
            sys.exit(REFUSED)

    def _import(self, estate: str, scripts: list[tuple[str, str]], options: dict[str, Any]) -> ImportResult:
        """The import, or where a mistake forbids it, the plan with every mistake."""
        left_out = _left_out([name for name, _ in scripts], options["leave_out"])
        variables = dict(options["set"])
        files = [
            imports.ImportFile(name, text, variables=variables, left_out=frozenset(left_out.get(name, ())))
            for name, text in scripts
        ]

        def run(*, is_dry_run: bool) -> ImportResult:
            return estate_import(
                estate_name=estate,
                files=files,
                user=None,
                is_dry_run=is_dry_run,
                default_instance=options["instance"],
                default_database=options["database"],
                change_set=options["change_set"],
            )

        if options["dry_run"]:
            return run(is_dry_run=True)
        try:
            return run(is_dry_run=False)
        except EngineRefused:
            return run(is_dry_run=True)

    def _read(self, names: list[str]) -> list[tuple[str, str]]:
        scripts, faults = [], []
        for name in names:
            try:
                shown, script = _script(name)
                scripts.append((shown, script.text))
                if script.assumed is not None:
                    write_lines(self.stderr, [f"{shown} is read as {script.assumed}."])
            except FileRefused as refused:
                faults.append(str(refused))
        if faults:
            self._refuse(faults)
        return scripts

    def _refuse(self, lines: list[str]) -> None:
        write_lines(self.stderr, lines)
        sys.exit(UNREADABLE)


def _change_set(text: str) -> int | Literal["new"]:
    if text == NEW:
        return NEW
    if text.isdecimal():
        return int(text)
    raise ArgumentTypeError(f"'{text}' is neither the number of a change set nor '{NEW}'")


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not all(letter.isprintable() for letter in text) or set(name) & set(" ()$"):
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _place(text: str) -> tuple[str | None, int]:
    name, _, line = text.rpartition(":")
    if not (line.isascii() and line.isdecimal()) or len(line) > _DIGITS_MAX:
        raise ArgumentTypeError(f"{text!r} is not LINE or FILE:LINE")
    return name or None, int(line)


def _left_out(names: list[str], places: list[tuple[str | None, int]]) -> dict[str, list[int]]:
    """The lines to be left out of each file. `CommandError` for a file that is not among them."""
    found: dict[str, list[int]] = {}
    for name, line in places:
        if name is None and len(names) != 1:
            text = f"Write --leave-out FILE:{line}: there are {len(names)} files."
            raise CommandError(numbered(UNUSABLE, text), returncode=UNREADABLE)
        if name is not None and name not in names:
            text = f"--leave-out names '{name}', which is not among the files."
            raise CommandError(numbered(UNUSABLE, text), returncode=UNREADABLE)
        found.setdefault(names[0] if name is None else name, []).append(line)
    return found


def _script(name: str) -> tuple[str, GivenScript]:
    if name == STANDARD_INPUT:
        return "stdin", script_piped("stdin", sys.stdin.buffer, bytes_max=SCRIPT_BYTES_MAX)
    return name, script_given(name, bytes_max=SCRIPT_BYTES_MAX)
