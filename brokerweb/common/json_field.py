"""A JSON column for large values: encoded in one go, without a piece of text for each of its parts."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from django.db import models


class _Encoder(json.JSONEncoder):
    """The standard encoder makes a list of all pieces first, ten times the size of what it writes."""

    def encode(self, o: Any) -> str:
        # `Raw` is JSON already; encoding it would be a copy of it.
        return str(memoryview(o), "utf-8") if isinstance(o, msgspec.Raw) else msgspec.json.encode(o).decode()


class LargeJSONField(models.JSONField):
    """As a JSON column, and parts of a value may be `msgspec.Raw`: JSON already. The database sees no difference."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.encoder = _Encoder

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """In migrations it is the plain column."""
        name, _, args, options = super().deconstruct()
        options.pop("encoder", None)
        return name, "django.db.models.JSONField", args, options
