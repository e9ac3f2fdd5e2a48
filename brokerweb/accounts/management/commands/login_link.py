"""`manage.py login_link`: a fresh one-time link, for whoever has a shell on the server."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from brokerweb.accounts.models import User
from brokerweb.accounts.services import login_link_create


class Command(BaseCommand):
    help = "Print a one-time login link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", default="admin", help="whom the link logs in (default: admin)")
        parser.add_argument(
            "--address", default="http://127.0.0.1:8000", help="where the dashboard is reached (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']}.")
        if not user.is_active:
            raise CommandError(f"The account of {user.username} is switched off.")
        self.stdout.write(f"{options['address'].rstrip('/')}/login/link/{login_link_create(user)}")
