"""`manage.py export_openapi`: write `frontend/openapi.json` anew after an operation or a shape changed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from brokerweb.common.numbered_command import REFUSED, NumberedCommand, numbered
from brokerweb.config.env import CANNOT_CREATE
from brokerweb.config.openapi import OPENAPI_PATH, openapi_text


class Command(NumberedCommand):
    help = "Write the OpenAPI document of the API to frontend/openapi.json."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            OPENAPI_PATH.write_text(openapi_text(), encoding="utf-8")
        except OSError as error:
            told = f"{OPENAPI_PATH} cannot be written: {error.strerror}. See that this user may write there."
            raise CommandError(numbered(CANNOT_CREATE, told), returncode=REFUSED) from error
        self.stdout.write(f"Written: {OPENAPI_PATH.relative_to(OPENAPI_PATH.parent.parent)}")
