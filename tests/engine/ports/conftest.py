"""One PostgreSQL server for all tests of stores, each with an instance of its own; where a logged store is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "PARIS.sqlite3"


@pytest.fixture
def log_path(path: Path) -> Path:
    return path.with_name(path.name + "-log")
