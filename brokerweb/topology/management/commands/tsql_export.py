"""`manage.py tsql_export`: an estate as T-SQL, whole or as the changes between two revisions, or their rollback.

Exit code 0: written; 2: there is no such estate, instance, database or revision, or the file could not be written.
Warnings, what a person has to know or to supply, stand in the script as comments and go to standard error as well.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.common.given_files import UNWRITABLE_FILE
from brokerweb.common.numbered_command import NumberedCommand, told_problem
from brokerweb.common.terminal import write_lines
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.topology.selectors.scripts import ScriptRequest, script_parts
from engine.api import scripts

IMPOSSIBLE = 2
LETTERS_AT_ONCE = 1 << 16


class Command(NumberedCommand):
    help = "Write an estate as T-SQL (docs/operations/exporting-tsql.md); never a private key, never a password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--estate", help="the estate; may be left out when there is only one")
        parser.add_argument("--instance", help="only this instance")
        parser.add_argument("--database", help="only databases of this name")
        parser.add_argument("--from", dest="from_revision", type=int, metavar="N", help="only changes since revision N")
        parser.add_argument("--to", dest="to_revision", type=int, metavar="N", help="at revision N (default: newest)")
        parser.add_argument("--rollback", action="store_true", help="what takes the changes since --from back")
        parser.add_argument("--guards", action="store_true", help="IF [NOT] EXISTS in front of CREATE and DROP")
        parser.add_argument("--output", metavar="FILE", help="write to a file, in UTF-8, instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        warnings: list[scripts.ScriptWarning] = []
        try:
            request = ScriptRequest(
                estate=estate_named_or_only(options["estate"]),
                instance=options["instance"],
                database=options["database"],
                from_revision=options["from_revision"],
                to_revision=options["to_revision"],
                is_rollback=options["rollback"],
                has_guards=options["guards"],
            )
            parts = _noting(script_parts(request), warnings)
            if options["output"]:
                _write(Path(options["output"]), parts)
            else:
                for text in _in_pieces(part.text for part in parts):
                    write_lines(self.stdout, [text])
        except (ObjectNotFound, MalformedRequest) as error:
            self._refuse(told_problem(error))
        except OSError as error:
            self._refuse(f"{options['output']}: {UNWRITABLE_FILE}: {error.strerror or error}")
        if warnings:
            write_lines(self.stderr, [f"warning line {warning.line}: {warning.text}" for warning in warnings])

    def _refuse(self, text: str) -> None:
        write_lines(self.stderr, [text])
        sys.exit(IMPOSSIBLE)


def _noting(parts: Iterable[scripts.ScriptPart], warnings: list[scripts.ScriptWarning]) -> Iterator[scripts.ScriptPart]:
    for part in parts:
        warnings += part.warnings
        yield part


def _in_pieces(texts: Iterable[str]) -> Iterator[str]:
    """Whole lines, many at a time."""
    waiting: list[str] = []
    length = 0
    for text in texts:
        waiting.append(text)
        length += len(text)
        if length >= LETTERS_AT_ONCE:
            yield "".join(waiting)
            waiting, length = [], 0
    if length:
        yield "".join(waiting)


def _write(path: Path, parts: Iterable[scripts.ScriptPart]) -> None:
    """A script that breaks off half-way leaves the file that was there."""
    draft = path.with_name(f"{path.name}.new")
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(_in_pieces(part.text for part in parts))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
