"""`manage.py audit_verify [ESTATE]`: whether the log of decisions is as it was written, by its hash chain.

It reads the dashboard's database alone. Exit code 0: every chain is whole; 1: one is broken; 2: the estate does not
exist, or the database could not be read.
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from typing import Any

import msgspec
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, UNUSABLE, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.audit_chain import ChainReport, KnownLink, chain_report
from brokerweb.topology.selectors.findings import estate_of

BROKEN = 1
_KNOWN = re.compile(r"([1-9]\d{0,8}):([0-9a-fA-F]{64})")


class Command(NumberedCommand):
    help = "Check the log of decisions by its hash chain (docs/operations/change-sets.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("estate", nargs="?", help="all estates without it")
        parser.add_argument(
            "--known", metavar="NUMBER:HASH", help="a line that this command printed earlier, to be found again"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object, by estate")

    def handle(self, *args: Any, **options: Any) -> None:
        known = _known(options["known"], options["estate"])
        estates = [estate_of(options["estate"])] if options["estate"] else list(Estate.objects.all())
        reports = {estate.name: chain_report(estate, known) for estate in estates}
        if options["json"]:
            told = {name: {**msgspec.to_builtins(each), "is_whole": each.is_whole} for name, each in reports.items()}
            write_lines(self.stdout, [msgspec.json.encode(told).decode(), ""])
        else:
            write_lines(self.stdout, [line for name, each in reports.items() for line in _lines(name, each)] + [""])
        if not all(each.is_whole for each in reports.values()):
            sys.exit(BROKEN)


def _known(text: str | None, estate: str | None) -> KnownLink | None:
    if text is None:
        return None
    found = _KNOWN.fullmatch(text)
    if found is None or estate is None:
        raise CommandError(
            numbered(UNUSABLE, "--known takes a number and a hash, 120:5e88…, of the estate that is named before it."),
            returncode=REFUSED,
        )
    return KnownLink(int(found[1]), found[2])


def _lines(name: str, report: ChainReport) -> list[str]:
    if not report.decision_count and report.is_whole:
        return [f"{name}: no decision yet"]
    if report.is_whole:
        decisions = "1 decision" if report.decision_count == 1 else f"{report.decision_count} decisions"
        return [f"{name}: whole, {decisions}, {report.last_sequence}:{report.head}"]
    return [f"{name}: BROKEN", *(f"  decision {each.sequence}: {each.reason}" for each in report.breaks)]
