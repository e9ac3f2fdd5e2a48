"""`manage.py tsql_import FILE…`: T-SQL scripts and collected servers into a change set or a new estate, all or nothing.

Exit code 0: done, or with --dry-run: could be done; 1: a script has a mistake, and nothing was done; 2: a file could
not be read, there is no such estate, or there is nothing to read, and nothing was done.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any, Literal

from brokerweb.common.errors import EngineRefused, WebProblem
from brokerweb.common.given_files import SCRIPT_BYTES_MAX, FileRefused, text_given, text_piped
from brokerweb.common.numbered_command import NumberedCommand, told_problem
from brokerweb.common.terminal import write_lines
from brokerweb.topology.import_text import told
from brokerweb.topology.names import check_estate_name
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.topology.services.imports import NEW, ImportResult, estate_import, import_report
from engine.api import imports, json_encoder

REFUSED, UNREADABLE = 1, 2
STANDARD_INPUT = "-"
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
            help=f"a script or a collection in UTF-8 or UTF-16; {STANDARD_INPUT} is standard input",
        )
        parser.add_argument("--estate", help="the estate, made when it is new; may be left out when there is only one")
        parser.add_argument("--instance", help="where a script begins until it says :CONNECT")
        parser.add_argument("--database", help="where a script begins until it says USE (default: master)")
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
        if options["json"]:
            write_lines(self.stdout, [json_encoder.encode(import_report(result)).decode()])
        else:
            write_lines(self.stdout, told(result))
        if result.plan.problems:
            sys.exit(REFUSED)

    def _import(self, estate: str, scripts: list[tuple[str, str]], options: dict[str, Any]) -> ImportResult:
        """The import, or where a mistake forbids it, the plan with every mistake."""

        def run(*, is_dry_run: bool) -> ImportResult:
            return estate_import(
                estate_name=estate,
                files=[imports.ImportFile(name, text) for name, text in scripts],
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
                scripts.append(_script(name))
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


def _script(name: str) -> tuple[str, str]:
    """Name and text, in UTF-16 too: the vendor's own tool saves scripts like that."""
    if name == STANDARD_INPUT:
        text = text_piped("stdin", sys.stdin.buffer, bytes_max=SCRIPT_BYTES_MAX, allows_utf_16=True)
        return "stdin", text
    return name, text_given(name, bytes_max=SCRIPT_BYTES_MAX, allows_utf_16=True)
