"""`manage.py login_link`: a fresh one-time link, for whoever has a shell on the server."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from brokerweb.accounts.models import User
from brokerweb.accounts.services import login_link_create
from brokerweb.common.numbered_command import NO_SUCH_OBJECT, REFUSED, NumberedCommand, numbered
from brokerweb.config.process.lock import data_directory_holder

ACCOUNT_OFF = 18470
DEFAULT_ADDRESS = "http://127.0.0.1:8000"


class Command(NumberedCommand):
    help = "Print a one-time login link."
    database_cure = (
        "Has brokerweb been started yet? The first `make run` makes the tables and the first user, and prints a link "
        "of its own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", default="admin", help="whom the link logs in (default: admin)")
        parser.add_argument("--address", help="where the dashboard is reached (default: where it runs now)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            told = numbered(NO_SUCH_OBJECT, f"There is no user {options['user']}. Name another with --user.")
            raise CommandError(told, returncode=REFUSED)
        if not user.is_active:
            told = (
                f"The account of {user.username} is switched off, so no link would open it. "
                "Name another user with --user, or switch the account on: page Administration."
            )
            raise CommandError(numbered(ACCOUNT_OFF, told), returncode=REFUSED)
        address = options["address"] or self._address()
        self.stdout.write(f"{address.rstrip('/')}/login/link/{login_link_create(user)}")

    def _address(self) -> str:
        """Where the process on these data listens; without one the default address, and a sentence about it."""
        directory = settings.ENVIRONMENT.data_directory
        holder = data_directory_holder(directory)
        if holder is not None and holder.address is not None:
            return holder.address
        happened = (
            f"No `manage.py run` runs on {directory}"
            if holder is None
            else f"brokerweb (process {holder.process}) is still starting on {directory}"
        )
        # Beside the link, not in it: a script reads the link alone.
        self.stderr.write(
            f"{happened}, so the link begins with the default address {DEFAULT_ADDRESS}. "
            "It works as soon as the dashboard is reached there; name another address with --address."
        )
        return DEFAULT_ADDRESS
