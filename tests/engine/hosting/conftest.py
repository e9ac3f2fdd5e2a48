"""An engine in this process, as `make run` has it, on a data directory of its own; and real brokers.

The brokers are started on free ports and stopped again.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.vocabulary.moment import Duration
from engine.hosting.app import celery_app, configure
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.settings import HostingSettings
from tests.support.free_port import free_port
from tests.support.no_garbage_policy import collector_left_alone
from tests.support.postgres_server import PostgresServer, running_postgres
from tests.support.ready_keys import ready_keys
from tests.support.redis_server import RedisServer


@pytest.fixture(autouse=True)
def configuration() -> Iterator[None]:
    """The application is one for the process: other tests find it as they left it."""
    before = celery_app.hosting
    yield
    if before is not None:
        configure(before)


@pytest.fixture(autouse=True)
def garbage() -> Iterator[None]:
    """Workers in this process do not look through all that pytest has imported."""
    with collector_left_alone():
        yield


@pytest.fixture
def keys() -> Iterator[None]:
    """Instances that make certificates are given keys that are there already."""
    with ready_keys():
        yield


@pytest.fixture
def settings(tmp_path: Path) -> HostingSettings:
    return HostingSettings(data_directory=tmp_path / "engine", wakes_web=False, retry_seconds=Duration(0.2))


@pytest.fixture
def engine(settings: HostingSettings) -> Iterator[EmbeddedEngine]:
    configure(settings)
    engine = EmbeddedEngine()
    engine.start()
    yield engine
    engine.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def empty(postgres: PostgresServer) -> Iterator[PostgresServer]:
    """The server of all tests of hosts, with no store on it."""
    postgres.ensure_running()
    yield postgres
    for (schema,) in postgres.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'broker%'"):
        postgres.sql(f'DROP SCHEMA "{schema}" CASCADE')


START_SECONDS_MAX = 90


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, f"nothing listens on port {port}"
            time.sleep(0.05)
        else:
            return


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    yield server
    server.end()


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    return redis_server.url


RABBITMQ_SERVER = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
"""Debian's script itself: the one in the path wants to become another user."""


@pytest.fixture
def rabbitmq_url(tmp_path: Path) -> Iterator[str]:
    epmd = shutil.which("epmd")
    if epmd is None or not RABBITMQ_SERVER.exists():
        pytest.skip("rabbitmq-server is not installed (Debian, Ubuntu: apt-get install rabbitmq-server)")
    port, name_port = free_port(), free_port()
    names = subprocess.Popen([epmd, "-port", str(name_port)])
    wait_for_port(name_port)
    settings = tmp_path / "rabbitmq.conf"
    settings.write_text("default_user = brokerweb\ndefault_pass = geheim\n")
    environment = {
        "HOME": str(tmp_path),
        "RABBITMQ_CONFIG_FILE": str(settings),
        "ERL_EPMD_PORT": str(name_port),
        "RABBITMQ_NODENAME": "test@localhost",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(tmp_path / "rabbitmq"),
        "RABBITMQ_LOG_BASE": str(tmp_path / "rabbitmq-log"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(tmp_path / "plugins"),
    }
    server = subprocess.Popen([RABBITMQ_SERVER], env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
    wait_for_port(port)
    yield f"amqp://brokerweb:geheim@127.0.0.1:{port}//"
    for process in (server, names):
        process.terminate()
        process.wait(60)
