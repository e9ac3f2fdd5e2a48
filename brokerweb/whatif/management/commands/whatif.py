"""`manage.py whatif ESTATE --from INSTANCE/DATABASE/SERVICE --to SERVICE`: where a message would go, and why.

Exit code 0: it works, it arrives and its sender hears of it; 1: it does not; 2: the question could not be asked. With
--before a state is compared with another, and 1 means that the flow is lost.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any
from urllib.parse import unquote

import msgspec
from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.common.terminal import write_lines
from brokerweb.topology.selectors.estates import estate_named_or_only
from brokerweb.whatif.answer_text import told, told_difference
from brokerweb.whatif.command_arguments import add_basis_arguments, basis_asked, broker, sender, setting, state
from brokerweb.whatif.selectors.answers import answer_to, comparison_of
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from brokerweb.whatif.selectors.tables import estate_state
from brokerweb.whatif.table_text import told_table
from engine import api as engine

FAILS = 1
UNUSABLE = 153
_Question = engine.what_if.FlowQuestion


class Command(NumberedCommand):
    help = "Say where a message would go and why, and what a draft makes of it (docs/operations/what-if.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("estate", nargs="?", help="may be left out when there is one alone")
        parser.add_argument("--from", dest="sender", type=sender, metavar="INSTANCE/DATABASE/SERVICE", help="who sends")
        parser.add_argument("--to", metavar="SERVICE", help="the service that is written to")
        parser.add_argument("--broker-instance", type=broker, metavar="GUID", help="that BEGIN DIALOG names")
        parser.add_argument("--contract", metavar="NAME", help="ON CONTRACT; else the one by which most arrives")
        parser.add_argument("--message-type", metavar="NAME", help="of the message; else the first that may be sent")
        parser.add_argument(
            "--encryption",
            choices=("on", "off"),
            default="off",
            help="of BEGIN DIALOG; off, what no remote service binding secures is sent in clear",
        )
        parser.add_argument(
            "--before", type=state, metavar="live|draft=N|revision=N", help="compare with this state, without faults"
        )
        parser.add_argument("--question", metavar="NAME", help="instead of a flow: a question of docs/questions.md")
        parser.add_argument(
            "--set", action="append", default=[], type=setting, metavar="KEY=VALUE", help="what the question takes"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object, as the API has it")
        add_basis_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        estate = estate_named_or_only(options["estate"])
        if options["question"] is not None:
            self._ask(estate, options)
            return
        if options["sender"] is None or options["to"] is None:
            raise CommandError(numbered(UNUSABLE, "Say who writes to whom: --from and --to."), returncode=REFUSED)
        after = basis_of(estate, basis_asked(options))
        question = _question(after, options)
        if options["before"] is None:
            answer = answer_to(after, question).answer
            self._print(answer, told(answer), is_json=options["json"])
            if not _works(answer):
                sys.exit(FAILS)
            return
        compared = comparison_of(basis_of(estate, _before(options)), after, question)
        lines = [] if compared.difference is None else list(told_difference(compared.difference))
        for name, each in (("Before", compared.before), ("After", compared.after)):
            lines += [f"{name}: nobody is there to ask."] if each is None else [f"{name}:", *told(each.answer)]
        value = {
            "before": None if compared.before is None else compared.before.answer,
            "after": None if compared.after is None else compared.after.answer,
            "difference": compared.difference,
        }
        self._print(value, lines, is_json=options["json"])
        worked, works = (each is not None and _works(each.answer) for each in (compared.before, compared.after))
        if worked and not works:
            sys.exit(FAILS)

    def _ask(self, estate: str, options: dict[str, Any]) -> None:
        """A question whose answer is a table; with --before what differs from that state."""
        state = estate_state(basis_of(estate, basis_asked(options)))
        before = None if options["before"] is None else estate_state(basis_of(estate, _before(options)))
        table = engine.questions.ask(options["question"], dict(options["set"]), state, before)
        self._print(table, told_table(table), is_json=options["json"])

    def _print(self, value: Any, lines: Any, *, is_json: bool) -> None:
        write_lines(self.stdout, [msgspec.json.encode(value).decode()] if is_json else lines)


def _question(basis: Basis, options: dict[str, Any]) -> _Question:
    """The flow; a service may be written as an address of the page has it, when none is called so literally."""
    instance, database, service = options["sender"]
    services = {
        each for catalog in basis.catalogs.values() for found in catalog.databases.values() for each in found.services
    }
    from_service, to_service = (
        name if name in services or unquote(name) not in services else unquote(name)
        for name in (service, options["to"])
    )
    return _Question(
        instance=engine.InstanceName(instance),
        database=engine.DatabaseName(database),
        service=engine.ServiceName(from_service),
        to_service=engine.ServiceName(to_service),
        broker_instance=options["broker_instance"],
        contract=options["contract"],
        message_type=options["message_type"],
        encryption=options["encryption"] == "on",
    )


def _before(options: dict[str, Any]) -> BasisAsked:
    word, number = options["before"]
    return BasisAsked(
        change_set=number if word == "draft" else None,
        revision=number if word == "revision" else None,
        at=options["at"],
    )


def _works(answer: engine.what_if.ToldAnswer) -> bool:
    return answer.legs[0].arrives > 0.0 and answer.legs[1].arrives > 0.0
