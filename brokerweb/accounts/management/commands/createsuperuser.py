"""Django's `manage.py createsuperuser`, with its row in the record of account changes."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import createsuperuser

from brokerweb.accounts.changes import What, account_change_note
from brokerweb.accounts.models import User


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> str | None:
        before = list(User.objects.values_list("pk", flat=True))
        done = super().handle(*args, **options)
        for user in User.objects.exclude(pk__in=before):
            account_change_note(user.username, What.CREATED, author=None, after=user.role)
        return done
