"""Workers of their own behind real brokers. The brokers are started here, on free ports, and stopped again."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.architecture.tidy import ROOT
from tests.engine.hosting.engine_process import MESSAGES, engine_alone

START_SECONDS_MAX = 30

ALL_ONCE_IN_ORDER = " ".join(["received", *map(str, range(MESSAGES))])


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


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
def redis_url(tmp_path: Path) -> Iterator[str]:
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("redis-server is not installed (Debian, Ubuntu: apt-get install redis-server)")
    port = free_port()
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path), "--save", ""]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_for_port(port)
    yield f"redis://127.0.0.1:{port}/0"
    server.terminate()
    server.wait()


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
    environment = {
        "HOME": str(tmp_path),
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
    yield f"amqp://guest:guest@127.0.0.1:{port}//"
    for process in (server, names):
        process.terminate()
        process.wait(30)


StartWorker = Callable[[str], "subprocess.Popen[bytes]"]


@pytest.fixture
def start_worker(tmp_path: Path) -> Iterator[StartWorker]:
    workers: list[subprocess.Popen[bytes]] = []

    def start(broker_url: str) -> "subprocess.Popen[bytes]":
        name = f"worker{len(workers) + 1}"
        log = (tmp_path / f"{name}.log").open("wb")
        command = [sys.executable, "-m", "celery", "-A", "tests.engine.hosting.worker_app", "worker"]
        options = ["--pool", "threads", "--concurrency", "8", "--queues", "engine.control"]
        worker = subprocess.Popen(
            [*command, *options, "--hostname", f"{name}@localhost", "--without-mingle", "--without-gossip"],
            cwd=ROOT,
            env={**engine_alone(), "DATA_DIRECTORY": str(tmp_path / "engine"), "BROKER_URL": broker_url},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.terminate()
        worker.wait(30)


def client(broker_url: str, data_directory: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.hosting.engine_process", str(data_directory), broker_url, str(uuid4())],
        cwd=ROOT,
        env=engine_alone(),
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("broker", ["redis_url", "rabbitmq_url"])
def test_commands_reach_a_worker_through_a_real_broker(
    broker: str, request: pytest.FixtureRequest, start_worker: StartWorker, tmp_path: Path
):
    broker_url = request.getfixturevalue(broker)
    worker = start_worker(broker_url)
    output, _ = client(broker_url, tmp_path).communicate(timeout=60)
    assert output.splitlines()[-1] == ALL_ONCE_IN_ORDER
    worker.terminate()
    assert worker.wait(30) == 0, "a worker that is told to stop stops in peace"


@pytest.mark.slow
def test_a_second_worker_takes_over_what_a_killed_one_hosted(redis_url: str, start_worker: StartWorker, tmp_path: Path):
    first = start_worker(redis_url)
    sender = client(redis_url, tmp_path)
    assert sender.stdout is not None
    for line in sender.stdout:
        if line.strip() == "20":
            break
    start_worker(redis_url)
    for line in sender.stdout:
        if line.strip() == "40":
            break
    first.kill()
    output, _ = sender.communicate(timeout=90)
    assert output.splitlines()[-1] == ALL_ONCE_IN_ORDER


ASK = """
import sys
from pathlib import Path
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.settings import HostingSettings

configure(HostingSettings(data_directory=Path(), broker_url=sys.argv[1]))
client.read_view("demo", "PARIS", 1)
"""


@pytest.mark.parametrize("url", ["redis://127.0.0.1:{port}/0", "amqp://127.0.0.1:{port}//"])
def test_a_broker_that_is_away_is_said_soon_and_in_a_sentence(url: str):
    asker = subprocess.run(
        [sys.executable, "-c", ASK, url.format(port=free_port())],
        cwd=ROOT,
        env=engine_alone(),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "EngineUnavailable: The broker between web and engine cannot be reached" in asker.stderr
