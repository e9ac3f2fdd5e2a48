"""The dashboard with PostgreSQL as its database, for tests about what only a server does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from django.db import connections

from brokerweb.config.env import read_environment
from brokerweb.config.settings.base import database_settings
from tests.support.postgres_server import PostgresServer


class Database(Protocol):
    """What has an address as `DATABASE_URL` has it: a server stands for the database that it was made with."""

    @property
    def url(self) -> str: ...


class DatabaseOfServer:
    """Another database of a server, by its name."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self.url = server.url.removesuffix("postgres") + name


@contextmanager
def dashboard_in(database: Database, **variables: str) -> Iterator[None]:
    """The dashboard's database is this one, as `DATABASE_URL` and further variables would say it, for every thread."""
    settings_before, connection_before = connections.settings["default"], connections["default"]
    settings = database_settings(read_environment({"DATABASE_URL": database.url, **variables}))
    connections.settings["default"] = connections.configure_settings({"default": settings})["default"]
    connections["default"] = connections.create_connection("default")
    try:
        yield
    finally:
        connections["default"].close()
        connections["default"].close_pool()
        connections.settings["default"] = settings_before
        connections["default"] = connection_before
