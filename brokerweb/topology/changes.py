"""Catalog changes as they are kept in JSON columns: the engine's own tagged form, as plain lists and texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engine import api as engine


def changes_to_json(changes: Sequence[engine.CatalogChange]) -> msgspec.Raw:
    """Changes as JSON, for a `LargeJSONField`; an import may have a hundred thousand."""
    return msgspec.Raw(engine.json_encoder.encode(changes))


def changes_from_json(stored: list[Any]) -> tuple[engine.CatalogChange, ...]:
    """Changes as they were before `changes_to_json`."""
    return msgspec.convert(stored, tuple[engine.CatalogChange, ...])
