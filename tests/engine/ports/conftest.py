"""One PostgreSQL server for all tests of stores; each test has an instance of its own."""

from collections.abc import Iterator

import pytest

from tests.support.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server
