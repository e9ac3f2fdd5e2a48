"""Django's `manage.py changepassword`, with its row in the record of account changes."""

from __future__ import annotations

import getpass
from typing import Any

from django.contrib.auth.management.commands import changepassword

from brokerweb.accounts.changes import What, account_change_note


class Command(changepassword.Command):
    def handle(self, *args: Any, **options: Any) -> str | None:
        # The name that Django takes where none is given is that of the person at the terminal.
        username = options["username"] or getpass.getuser()
        done = super().handle(*args, **options)
        account_change_note(username, What.PASSWORD, author=None)
        return done
