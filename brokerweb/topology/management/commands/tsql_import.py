"""`manage.py tsql_import FILE…`: T-SQL scripts into an estate, all of them or nothing.

Exit code 0: done, or with --dry-run: could be done; 1: a script has a mistake, and nothing was done; 2: a file could
not be read, there is no such estate, or there is nothing to read, and nothing was done.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.common.terminal import write_lines
from brokerweb.topology.import_text import told
from brokerweb.topology.names import check_estate_name
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.topology.services.imports import ImportResult, estate_import, import_report
from engine.api import json_encoder

REFUSED, UNREADABLE = 1, 2
STANDARD_INPUT = "-"
LONG_LETTERS = 1_000_000
"""From so many on an import takes long enough to say that it is under way."""


class Command(BaseCommand):
    help = "Read T-SQL scripts into an estate (docs/operations/importing-tsql.md); one mistake, and nothing is done."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="+", metavar="FILE", help=f"a script in UTF-8; {STANDARD_INPUT} is standard input"
        )
        parser.add_argument("--estate", help="the estate, made when it is new; may be left out when there is only one")
        parser.add_argument("--instance", help="where a script begins until it says :CONNECT")
        parser.add_argument("--database", help="where a script begins until it says USE (default: master)")
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
        except (ObjectNotFound, MalformedRequest) as error:
            self._refuse([f"{error.detail} {error.cure}"])
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
                scripts=scripts,
                user=None,
                is_dry_run=is_dry_run,
                default_instance=options["instance"],
                default_database=options["database"],
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
                is_piped = name == STANDARD_INPUT
                data = sys.stdin.buffer.read() if is_piped else Path(name).read_bytes()
                scripts.append(("stdin" if is_piped else name, _decoded(data)))
            except OSError as error:
                faults.append(f"{name}:1:1: {error.strerror or error}")
            except UnicodeDecodeError as error:
                before = error.object[: error.start]
                line, column = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
                faults.append(f"{name}:{line}:{column}: not UTF-8")
        if faults:
            self._refuse(faults)
        return scripts

    def _refuse(self, lines: list[str]) -> None:
        write_lines(self.stderr, lines)
        sys.exit(UNREADABLE)


def _decoded(data: bytes) -> str:
    """UTF-8, or UTF-16 where a mark says so: the vendor's own tool saves scripts like that."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")
