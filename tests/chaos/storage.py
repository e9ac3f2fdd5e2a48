"""Where a deployment keeps leases and stores, and how its disk becomes full.

A file may grow no further than the operating system allows a process (`RLIMIT_FSIZE`): what does not fit is refused in
the middle of a write, as on a disk without room. It needs no rights and ends when the limit is taken away.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Protocol

from tests.engine.hosting.leased_workers import Deployment
from tests.support.postgres_server import LOG_SEGMENT_BYTES, PostgresServer, running_postgres


class Stores(StrEnum):
    """The kinds of storage there are."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


PAGE_BYTES = 4096
"""No commit of SQLite fits into one page of its log, and nothing of PostgreSQL's log into a file of one page."""
TABLE_BYTES = LOG_SEGMENT_BYTES
"""PostgreSQL's log goes on at this size, and a table of a deployment under load does not."""


class Storage(Protocol):
    """What a strike does to a disk."""

    environment: Mapping[str, str]
    """What workers are told about it."""

    def fill(self, deployment: Deployment, bytes_max: int) -> None:
        """No file of whoever keeps the stores grows beyond so much from now on."""
        ...

    def make_room(self, deployment: Deployment) -> None:
        """There is room again. A server that has given up is started, as whoever looks after it would."""
        ...


class Files:
    """SQLite for everything; whoever hosts has the files, and no worker has room."""

    environment: Mapping[str, str] = {"DATABASE_URL": "", "ENGINE_STORE_URL": ""}

    def fill(self, deployment: Deployment, bytes_max: int) -> None:
        deployment.allow_files(bytes_max)

    def make_room(self, deployment: Deployment) -> None:
        deployment.allow_files(resource.RLIM_INFINITY)


class Server:
    """One PostgreSQL for everything."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self.environment = {"DATABASE_URL": server.url, "ENGINE_STORE_URL": server.url}

    def fill(self, deployment: Deployment, bytes_max: int) -> None:
        self.server.allow_files(bytes_max)

    def make_room(self, deployment: Deployment) -> None:
        self.server.allow_files(None)
        self.server.ensure_running()


@contextmanager
def storage_of(kind: Stores) -> Iterator[Storage]:
    """Empty storage of a kind."""
    if kind is Stores.SQLITE:
        yield Files()
        return
    with running_postgres() as server:
        yield Server(server)
