"""Catalog changes as they are kept in JSON columns: the engine's own tagged form, as plain lists and texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from engine import api as engine


def changes_to_json(changes: Sequence[engine.CatalogChange]) -> list[Any]:
    """Changes as values that JSON can hold."""
    return [msgspec.to_builtins(change) for change in changes]


def changes_from_json(stored: list[Any]) -> tuple[engine.CatalogChange, ...]:
    """Changes as they were before `changes_to_json`."""
    return msgspec.convert(stored, tuple[engine.CatalogChange, ...])
