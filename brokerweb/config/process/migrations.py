"""Migrations of the dashboard's database that this program does not have: a later version has made them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from brokerweb.config.env import LATER_VERSION, ConfigurationError


def unknown_migrations(applied: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of applied migrations those that this program does not have, as pairs of app and name."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return sorted(each for each in applied if each not in loader.disk_migrations)


def ensure_no_later_version(alias: str) -> None:
    """Raise `ConfigurationError` for a database of a later version; `alias` is its name in the settings."""
    if unknown := unknown_migrations(MigrationRecorder(connections[alias]).applied_migrations()):
        app, name = unknown[0]
        raise ConfigurationError(
            f"The dashboard's database was used by a later version of brokerweb: it has {app}.{name}, which this one "
            "does not know. Nothing was changed. Install that version, or restore a backup that this version "
            "has taken.",
            LATER_VERSION,
        )
