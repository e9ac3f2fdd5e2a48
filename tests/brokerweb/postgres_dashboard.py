"""The dashboard with PostgreSQL as its database, for tests about what only a server does."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections

from brokerweb.config.env import read_environment
from brokerweb.config.settings.base import database_settings
from tests.support.postgres_server import PostgresServer


@contextmanager
def dashboard_in(server: PostgresServer) -> Iterator[None]:
    """The dashboard's database is this one, as `DATABASE_URL` would say it, for every thread."""
    settings_before, connection_before = connections.settings["default"], connections["default"]
    settings = database_settings(read_environment({"DATABASE_URL": server.url}))
    connections.settings["default"] = connections.configure_settings({"default": settings})["default"]
    connections["default"] = connections.create_connection("default")
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"] = settings_before
        connections["default"] = connection_before
