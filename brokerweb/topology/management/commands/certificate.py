"""`manage.py certificate ESTATE INSTANCE DATABASE NAME`: a public certificate as T-SQL for the other side."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.topology.selectors.certificates import certificate_of
from brokerweb.topology.selectors.places import database_place
from engine.api import certificate_script


class Command(NumberedCommand):
    help = "Print CREATE CERTIFICATE … FROM BINARY for a certificate of an estate; never a private key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name in ("estate", "instance", "database", "certificate"):
            parser.add_argument(name)
        parser.add_argument("--owner", help="the user that owns it where the statement is run")

    def handle(self, *args: Any, **options: Any) -> None:
        place = database_place(options["estate"], options["instance"], options["database"])
        certificate = certificate_of(place, options["certificate"])
        self.stdout.write(certificate_script(certificate, owner=options["owner"]), ending="")
