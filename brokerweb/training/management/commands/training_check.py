"""`manage.py training_check [FILE…]`: exercises read and played as their authors mean them. Needs no database.

Each file is read, with every mistake at its line; then it is left alone, solved, and taken through its wrong turns.
Without a file those that ship are checked. Exit code 0: all is as it should be; 1: something is worth what it should
not be, or a step fails; 2: a file could not be read, and nothing was played.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from brokerweb.common.given_files import YAML_BYTES_MAX, FileRefused, text_given
from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.common.terminal import write_lines
from brokerweb.training.check_text import told_fault, told_row, told_sum
from brokerweb.training.library import FOLDER, Scenario, faults_of_lessons
from engine import api as engine

FAILED, UNREADABLE = 1, 2


class Command(NumberedCommand):
    help = "Read exercises of the training and play their solutions and wrong turns (docs/training/scenario-files.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="a scenario in YAML; without: those that ship")
        parser.add_argument("--sentences", action="store_true", help="print what trainees are told of each task too")
        parser.add_argument("--language", default="en", choices=engine.training.LANGUAGES, help="of the sentences")
        parser.add_argument("--json", action="store_true", help="print one JSON object for each way, faults to stderr")

    def handle(self, *args: Any, **options: Any) -> None:
        names = options["files"] or [str(file) for file in sorted(FOLDER.glob("*.yaml"))]
        scenarios, faults = _read(names)
        if faults:
            write_lines(self.stderr if options["json"] else self.stdout, map(told_fault, faults))
            sys.exit(UNREADABLE)
        ways = failures = 0
        for name, scenario in scenarios:
            for found in engine.training.tried(scenario):
                ways, failures = ways + 1, failures + (not found.passed)
                self._tell(name, scenario, found, options)
        if not options["json"]:
            write_lines(self.stdout, [told_sum(len(scenarios), ways, failures)])
        if failures:
            sys.exit(FAILED)

    def _tell(self, name: str, scenario: Scenario, found: engine.training.Try, options: dict[str, Any]) -> None:
        """One way, as soon as it was gone: an author need not wait for the others."""
        if options["json"]:
            row = {"file": name, "scenario": scenario.id, "passed": found.passed, "try": found}
            write_lines(self.stdout, [engine.json_encoder.encode(row).decode()])
        else:
            language = options["language"] if options["sentences"] else None
            write_lines(self.stdout, told_row(name, scenario, found, language))
        self.stdout.flush()


def _read(names: Sequence[str]) -> tuple[list[tuple[str, Scenario]], list[str]]:
    """Scenarios by the names of their files, and all faults as FILE:LINE:COLUMN: text."""
    found: list[tuple[str, Scenario]] = []
    faults: list[str] = []
    for name in names:
        try:
            text = text_given(name, bytes_max=YAML_BYTES_MAX)
        except FileRefused as refused:
            faults.append(str(refused))
            continue
        scenario, mistakes = engine.training.read_scenario(name, text)
        faults += [f"{each.file}:{each.line}:{each.column}: {each.text}" for each in mistakes]
        if scenario is not None:
            faults += faults_of_lessons(name, scenario)
            if Path(name).stem != scenario.id:
                faults.append(f"{name}:1:1: 153: the file is called after its id, {scenario.id}.yaml")
            found.append((name, scenario))
    return found, faults
