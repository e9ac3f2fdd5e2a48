"""`manage.py assertions run|write`: answers that are to stay as they are, in files beside a team's own scripts.

Without --file they are those that the dashboard keeps of the estate, and a run of what is live is kept beside them.
With --scripts the estate is what those T-SQL scripts say, and no database is needed. Exit code 0: every assertion
passed, and coverage suffices; 1: one failed, or it does not; 2: something could not be read, and nothing was run.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import CommandError
from django.utils import timezone

from brokerweb.common.given_files import SCRIPT_BYTES_MAX, YAML_BYTES_MAX, FileRefused, script_given, text_given
from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.whatif.assertion_text import told
from brokerweb.whatif.command_arguments import add_basis_arguments, basis_asked
from brokerweb.whatif.junit import junit_xml
from brokerweb.whatif.models import Trigger
from brokerweb.whatif.selectors.basis import basis_of
from brokerweb.whatif.services.assertion_runs import assertions_run
from engine import api as engine

FAILED = 1
UNUSABLE, UNWRITABLE = 153, 3634
DEFAULT_INSTANCE = "SERVER"
"""Whose a script is that names no instance."""
_Faults = tuple[engine.what_if.Fault, ...]


class Command(NumberedCommand):
    help = "Run answers that are pinned in YAML, or write an estate's into such a file (docs/operations/what-if.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=("run", "write"), help="write: pin every possible flow as it is now")
        parser.add_argument("estate", nargs="?", help="may be left out when there is one alone, or with --scripts")
        parser.add_argument("--file", action="append", default=[], metavar="F.yaml", help="assertions; several times")
        parser.add_argument("--scripts", nargs="+", default=[], metavar="F.sql", help="the estate, as T-SQL scripts")
        parser.add_argument("--instance", help="where a script begins until it says :CONNECT")
        parser.add_argument("--junit", metavar="OUT.xml", help="write the results as JUnit XML too")
        parser.add_argument(
            "--fail-under", type=float, metavar="PERCENT", help="fail when fewer of the routes are exercised"
        )
        parser.add_argument("--json", action="store_true", help="print results and coverage as one JSON object")
        add_basis_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["scripts"] and (options["estate"] or options["draft"] or options["revision"]):
            raise _refused("--scripts are the estate; name no other, and no draft or revision of it.")
        if options["action"] == "run" and not options["file"]:
            if options["scripts"]:
                raise _refused("Say which assertions to run: --file F.yaml.")
            self._run_kept(options)
            return
        catalogs, at, faults = self._estate(options)
        if options["action"] == "write":
            pinned = engine.assertions.pin(
                catalogs, engine.what_if.possible_flows(catalogs), at=at, faults=faults, with_path=True
            )
            self.stdout.write(engine.assertions.to_yaml(pinned), ending="")
            return
        placed = self._assertions(options["file"])
        asserted = [each.assertion for each in placed]
        run = engine.assertions.run(asserted, catalogs, at=at, faults=faults)
        self._tell(run, engine.assertions.coverage(asserted, run.used, catalogs, at=at), placed, options)

    def _run_kept(self, options: dict[str, Any]) -> None:
        """The assertions of the estate itself."""
        estate = estate_named_or_only(options["estate"])
        done = assertions_run(estate, basis_asked(options), trigger=Trigger.COMMAND, user=None)
        if not done.outcomes.rows:
            raise _refused(f"Estate {estate} has no enabled assertion. Say which to run: --file F.yaml.")
        self._tell(done.outcomes.run, done.outcomes.coverage, (), options)

    def _tell(
        self,
        run: engine.assertions.Run,
        coverage: engine.assertions.Coverage,
        placed: Sequence[engine.assertions.PlacedAssertion],
        options: dict[str, Any],
    ) -> None:
        """Results in every form that is asked for, and the exit code."""
        is_short = options["fail_under"] is not None and coverage.percent < options["fail_under"]
        if options["junit"]:
            places = {each.assertion.name: (each.file, each.line) for each in placed}
            _write(options["junit"], junit_xml(run.results, options["estate"] or "assertions", places))
        if options["json"]:
            value = {"results": run.results, "coverage": coverage, "percent": coverage.percent}
            write_lines(self.stdout, [msgspec.json.encode(value).decode()])
        else:
            write_lines(self.stdout, told(run, coverage, options["fail_under"]))
        if run.failures or is_short:
            sys.exit(FAILED)

    def _estate(self, options: dict[str, Any]) -> tuple[dict[str, engine.InstanceCatalog], engine.UtcTime, _Faults]:
        asked = basis_asked(options)
        if not options["scripts"]:
            basis = basis_of(estate_named_or_only(options["estate"]), asked)
            return basis.catalogs, basis.instant, basis.faults
        at = engine.UtcTime((asked.at or timezone.now()).timestamp())
        return self._from_scripts(options["scripts"], options["instance"], at), at, asked.faults

    def _from_scripts(
        self, names: list[str], instance: str | None, at: engine.UtcTime
    ) -> dict[str, engine.InstanceCatalog]:
        files, faults = [], []
        for name in names:
            try:
                text = script_given(name, bytes_max=SCRIPT_BYTES_MAX).text
                files.append(engine.imports.ImportFile(name, text))
            except FileRefused as refused:
                faults.append(str(refused))
        self._refuse(faults)
        plan = engine.imports.plan_files(
            files,
            {},
            default_instance=engine.InstanceName(instance or DEFAULT_INSTANCE),
            now=at,
            entropy=engine.OperatingSystemEntropy(),
        )
        self._refuse([f"{each.file}:{each.line}:{each.column}: {each.number}: {each.text}" for each in plan.problems])
        return dict(plan.catalogs)

    def _assertions(self, names: list[str]) -> list[engine.assertions.PlacedAssertion]:
        texts, faults = {}, []
        for name in names:
            try:
                texts[name] = text_given(name, bytes_max=YAML_BYTES_MAX)
            except FileRefused as refused:
                faults.append(str(refused))
        found, mistakes = engine.assertions.read_files(texts)
        self._refuse([*faults, *map(str, mistakes)])
        return found

    def _refuse(self, lines: list[str]) -> None:
        if lines:
            write_lines(self.stderr, [*lines, f"Nothing was run: {len(lines)} fault{'s' if len(lines) > 1 else ''}."])
            sys.exit(REFUSED)


def _refused(text: str) -> CommandError:
    return CommandError(numbered(UNUSABLE, text), returncode=REFUSED)


def _write(name: str, content: bytes) -> None:
    try:
        Path(name).write_bytes(content)
    except OSError as error:
        told = f"The file '{name}' could not be written: {error.strerror or error}"
        raise CommandError(numbered(UNWRITABLE, told), returncode=REFUSED) from error
