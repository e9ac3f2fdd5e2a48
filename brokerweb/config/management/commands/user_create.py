"""`manage.py user_create`: a user with a role, without a password in the history of the shell."""

from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import CommandError

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.numbered_command import REFUSED, UNUSABLE, NumberedCommand, numbered

PASSWORD_REFUSED, PASSWORD_TOO_SHORT = 15118, 15116


class Command(NumberedCommand):
    help = "Make a user with a role and print a one-time login link, or ask for a password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="letters, digits and @ . + - _")
        parser.add_argument("--role", choices=Role.values, default=Role.VIEWER, help="default: viewer")
        parser.add_argument("--reads-payloads", action="store_true", help="may read the bodies of messages")
        parser.add_argument(
            "--password",
            action="store_true",
            help="ask for a password (or read one line from standard input) instead of printing a login link",
        )
        parser.add_argument("--address", help="where the dashboard is reached (default: where it runs now)")

    def handle(self, *args: Any, **options: Any) -> None:
        username, role = options["username"], Role(options["role"])
        password = self._password(User(username=username)) if options["password"] else None
        user = user_create(username, role, password, reads_payloads=options["reads_payloads"])
        payloads = ", reads payloads" if user.reads_payloads else ""
        self.stdout.write(f"{user.username}: {user.role}{payloads}.")
        if password is None:
            call_command(
                "login_link", user=user.username, address=options["address"], stdout=self.stdout, stderr=self.stderr
            )

    def _password(self, user: User) -> str:
        if sys.stdin.isatty():
            password = getpass.getpass("Password: ")
            if getpass.getpass("Again: ") != password:
                raise CommandError(numbered(UNUSABLE, "The two passwords differ."), returncode=REFUSED)
        else:
            password = sys.stdin.readline().rstrip("\n")
        try:
            validate_password(password, user)
        except ValidationError as error:
            is_short = "password_too_short" in {each.code for each in error.error_list}
            number = PASSWORD_TOO_SHORT if is_short else PASSWORD_REFUSED
            raise CommandError(numbered(number, " ".join(error.messages)), returncode=REFUSED) from None
        return password
