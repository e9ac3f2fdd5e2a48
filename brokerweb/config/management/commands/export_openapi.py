"""`manage.py export_openapi`: write `frontend/openapi.json` anew after an operation or a shape changed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from brokerweb.config.openapi import OPENAPI_PATH, openapi_text


class Command(BaseCommand):
    help = "Write the OpenAPI document of the API to frontend/openapi.json."

    def handle(self, *args: Any, **options: Any) -> None:
        OPENAPI_PATH.write_text(openapi_text(), encoding="utf-8")
        self.stdout.write(f"Written: {OPENAPI_PATH.relative_to(OPENAPI_PATH.parent.parent)}")
