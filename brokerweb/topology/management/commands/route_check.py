"""`manage.py route_check FILE…`: tests for routing tables that live in a repository. Needs no database.

Exit code 0: every case passed; 1: a case failed; 2: a file could not be read, and nothing was run. The verdict stands
before anything is printed, so a reader who leaves early (`| head`, `| grep -q`) changes neither it nor the exit code.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from brokerweb.common.given_files import YAML_BYTES_MAX, FileRefused, text_given
from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.common.terminal import write_lines
from brokerweb.topology.route_check_text import told, told_beside
from engine.api import RouteCheckFault, RouteCheckReport, check_routes, json_encoder

FAILED, UNREADABLE = 1, 2


class Command(NumberedCommand):
    help = "Run test cases for routing tables, written in YAML (docs/protocol/routing.md, docs/examples)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a YAML file of cases, in UTF-8")
        parser.add_argument("--json", action="store_true", help="print the cases as a JSON list, the rest to stderr")
        parser.add_argument("--proof", action="store_true", help="print the proof of every case, not only of failures")

    def handle(self, *args: Any, **options: Any) -> None:
        texts, faults = _read(options["files"])
        report = check_routes(texts)
        if faults:
            report = RouteCheckReport(faults=(*faults, *report.faults), warnings=report.warnings)
        if options["json"]:
            write_lines(self.stdout, [json_encoder.encode(report.cases).decode()])
            write_lines(self.stderr, told_beside(report))
        else:
            write_lines(self.stdout, told(report, with_proof=options["proof"]))
        if report.faults:
            sys.exit(UNREADABLE)
        if report.failures:
            sys.exit(FAILED)


def _read(names: list[str]) -> tuple[dict[str, str], list[RouteCheckFault]]:
    texts: dict[str, str] = {}
    faults: list[RouteCheckFault] = []
    for name in names:
        try:
            texts[name] = text_given(name, bytes_max=YAML_BYTES_MAX)
        except FileRefused as refused:
            fault = RouteCheckFault(file=name, line=refused.line, column=refused.column, text=refused.text)
            faults.append(fault)
    return texts, faults
