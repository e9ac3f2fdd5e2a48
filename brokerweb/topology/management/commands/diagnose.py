"""`manage.py diagnose [ESTATE]`: what is wrong with the definitions of an estate, in the shape of ssbdiagnose's output.

It reads the dashboard's database alone. Exit code 0: no error was found; 1: at least one; 2: the estate or a service
does not exist, or the database could not be read. What somebody has put aside is left out and counted.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from brokerweb.common.numbered_command import NO_SUCH_OBJECT, REFUSED, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.topology.diagnosis_text import as_json, as_xml, columns
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.findings import estate_of, findings_of, keys_put_aside
from engine import api as engine

FOUND = 1
_Kind = engine.diagnosis


class Command(NumberedCommand):
    help = "Check the definitions of an estate, or one pair of services (docs/operations/diagnosis.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("estate", nargs="?", help="may be left out when there is one alone")
        parser.add_argument("--level", choices=("ERROR", "WARNING", "INFO"), default="WARNING", help="the least severe")
        parser.add_argument("--ignore", action="append", default=[], metavar="CODE", help="SBD-118, or 29931")
        parser.add_argument("--from-service", metavar="S", help="the service that begins the conversation")
        parser.add_argument("--to-service", metavar="S[,ID]", help="its target, with its broker id if it is given one")
        parser.add_argument("--on-contract", metavar="C", help="the contract; any that both sides have without it")
        parser.add_argument("--encryption", choices=("ON", "OFF", "ANONYMOUS"), default="ON", help="of the pair")
        parser.add_argument(
            "--language", choices=("en", "fr", "de"), default="en", help="of the texts; keywords stay as they are"
        )
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--json", action="store_true", help="print one JSON object")
        shape.add_argument("--xml", action="store_true", help="print XML in the shape of ssbdiagnose -XML")

    def handle(self, *args: Any, **options: Any) -> None:
        diagnosis, put_aside = _diagnosed(_estate(options["estate"]), options)
        wanted = [each for each in diagnosis.findings if _is_wanted(each, options)]
        told = [each for each in wanted if each.key not in put_aside]
        language = options["language"]
        if options["json"]:
            write_lines(self.stdout, [as_json(told, diagnosis, language), ""])
        elif options["xml"]:
            write_lines(self.stdout, [as_xml(told, _version(), language), ""])
        else:
            write_lines(self.stdout, [*columns(told, len(wanted) - len(told), language), ""])
        if any(each.severity is _Kind.Severity.ERROR for each in told):
            sys.exit(FOUND)


def _version() -> str:
    try:
        return version("brokerweb")
    except PackageNotFoundError:
        return "unknown"


def _estate(name: str | None) -> Estate:
    if name is not None:
        return estate_of(name)
    estates = list(Estate.objects.all()[:20])
    if len(estates) != 1:
        names = ", ".join(estate.name for estate in estates) or "none"
        told = numbered(NO_SUCH_OBJECT, f"Say which estate to check; there are: {names}.")
        raise CommandError(told, returncode=REFUSED)
    return estates[0]


def _diagnosed(estate: Estate, options: dict[str, Any]) -> tuple[engine.diagnosis.Diagnosis, set[str]]:
    now = timezone.now()
    catalogs = estate_catalogs(estate)
    if options["from_service"] is None and options["to_service"] is None:
        return findings_of(estate, catalogs, now).diagnosis, keys_put_aside(estate, now)
    service, broker = _target(options["to_service"])
    question = _Kind.PairQuestion(
        from_service=options["from_service"],
        to_service=service,
        broker=broker,
        contract=options["on_contract"],
        encryption=_Kind.EncryptionWanted(options["encryption"]),
    )
    diagnosis = _Kind.diagnose_pair(catalogs, engine.UtcTime(now.timestamp()), question)
    return diagnosis, keys_put_aside(estate, now)


def _target(text: str | None) -> tuple[engine.ServiceName | None, engine.BrokerInstanceId | None]:
    """A service, and the id after the last comma where what follows it is one: names may hold commas."""
    if text is None:
        return None, None
    service, comma, broker = text.rpartition(",")
    if not comma:
        return engine.ServiceName(text), None
    try:
        return engine.ServiceName(service.rstrip()), engine.parse_broker_instance(broker.strip())
    except engine.CatalogError:
        return engine.ServiceName(text), None


def _is_wanted(finding: engine.diagnosis.Finding, options: dict[str, Any]) -> bool:
    rank = _Kind.RANK
    ignored = {code.upper() for code in options["ignore"]}
    return (
        rank[finding.severity] <= rank[_Kind.Severity(options["level"].lower())]
        and finding.code not in ignored
        and str(finding.number) not in ignored
    )
