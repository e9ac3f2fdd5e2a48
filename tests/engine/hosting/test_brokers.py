"""Workers of their own behind real brokers."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from redis import Redis

from tests.architecture.tidy import ROOT
from tests.engine.hosting.engine_process import MESSAGES, engine_alone
from tests.support.free_port import free_port
from tests.support.redis_server import RedisServer
from tests.support.waiting import until

ALL_ONCE_IN_ORDER = " ".join(["received", *map(str, range(MESSAGES))])

pytestmark = pytest.mark.timeout(400)

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
        worker.wait(90)


def client(broker_url: str, data_directory: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.hosting.engine_process", str(data_directory), broker_url, str(uuid4())],
        cwd=ROOT,
        env=engine_alone(),
        stdout=subprocess.PIPE,
        text=True,
    )


# With Redis, the worker that is killed below shows it in `make test`.
@pytest.mark.parametrize("broker", [pytest.param("redis_url", marks=pytest.mark.slow), "rabbitmq_url"])
def test_commands_reach_a_worker_through_a_real_broker(
    broker: str, request: pytest.FixtureRequest, start_worker: StartWorker, tmp_path: Path
):
    broker_url = request.getfixturevalue(broker)
    worker = start_worker(broker_url)
    output, _ = client(broker_url, tmp_path).communicate(timeout=120)
    assert output.splitlines()[-1] == ALL_ONCE_IN_ORDER
    worker.terminate()
    assert worker.wait(90) == 0, "a worker that is told to stop stops in peace"


ASK_LONG_NAMES = """
import sys
from pathlib import Path
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.settings import HostingSettings
from tests.engine.hosting.test_long_names import LONG

configure(HostingSettings(data_directory=Path(sys.argv[1]), broker_url=sys.argv[2]))
for name in ("PARIS", *LONG):
    client.open_instance("demo", name, timeout_seconds=90)
    assert client.read_view("demo", name, 1, timeout_seconds=90).name == name
print("answered")
"""


def test_a_worker_behind_rabbitmq_hosts_instances_with_long_names_and_can_be_started_again(
    rabbitmq_url: str, start_worker: StartWorker, tmp_path: Path
):
    for _ in ("with new queues", "with queues that are there"):
        worker = start_worker(rabbitmq_url)
        command = [sys.executable, "-c", ASK_LONG_NAMES, str(tmp_path), rabbitmq_url]
        asker = subprocess.run(command, cwd=ROOT, env=engine_alone(), capture_output=True, text=True, timeout=300)
        assert asker.stdout == "answered\n", asker.stderr
        assert worker.poll() is None
        worker.terminate()
        assert worker.wait(90) == 0


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
    output, _ = sender.communicate(timeout=180)
    assert output.splitlines()[-1] == ALL_ONCE_IN_ORDER


BEGIN_SLOW_TASK = """
import sys
from pathlib import Path
from engine.hosting.app import CONTROL_QUEUE, celery_app, configure
from engine.hosting.settings import HostingSettings

configure(HostingSettings(data_directory=Path(), broker_url=sys.argv[1]))
celery_app.send_task("tests.be_slow", (sys.argv[2], sys.argv[3]), queue=CONTROL_QUEUE, ignore_result=True)
"""


@pytest.mark.slow
def test_a_broker_that_dies_while_a_task_is_under_way_does_not_end_the_worker(
    redis_server: RedisServer, start_worker: StartWorker, tmp_path: Path
):
    worker = start_worker(redis_server.url)
    for number in range(3):
        begun, may_end = tmp_path / f"begun{number}", tmp_path / f"may_end{number}"
        command = [sys.executable, "-c", BEGIN_SLOW_TASK, redis_server.url, str(begun), str(may_end)]
        subprocess.run(command, cwd=ROOT, env=engine_alone(), check=True)
        until(begun.exists, "the task is under way")
        redis_server.end()
        redis_server.start()
        may_end.touch()
        output, _ = client(redis_server.url, tmp_path).communicate(timeout=120)
        assert output.splitlines()[-1] == ALL_ONCE_IN_ORDER
        assert worker.poll() is None


ASK_ON = """
import sys
from pathlib import Path
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.errors import EngineUnavailable
from engine.hosting.settings import HostingSettings

configure(HostingSettings(data_directory=Path(), broker_url=sys.argv[1]))
client.open_instance("demo", "PARIS", timeout_seconds=90)
print("open", flush=True)
is_answered, may_end = map(Path, sys.argv[2:])
while not may_end.exists():
    try:
        client.read_view("demo", "PARIS", 1, timeout_seconds=1)
    except EngineUnavailable:
        continue
    is_answered.touch()
"""
CUTS = 150
PAUSE_SECONDS = 0.05
"""Between two cuts: enough for a few answers."""


@pytest.mark.slow
def test_whoever_asks_while_connections_to_the_broker_are_cut_hears_that_it_is_unavailable_and_nothing_else(
    redis_server: RedisServer, start_worker: StartWorker, tmp_path: Path
):
    start_worker(redis_server.url)
    is_answered, may_end = tmp_path / "answered", tmp_path / "may_end"
    command = [sys.executable, "-c", ASK_ON, redis_server.url, str(is_answered), str(may_end)]
    asker = subprocess.Popen(command, cwd=ROOT, env=engine_alone(), stdout=subprocess.PIPE, text=True)
    assert asker.stdout is not None
    assert asker.stdout.readline() == "open\n"
    for _ in range(CUTS):
        redis_server.cut_connections()
        time.sleep(PAUSE_SECONDS)
    until(is_answered.exists, "it was answered")
    may_end.touch()
    assert asker.wait(60) == 0


ASK = """
import sys
from pathlib import Path
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.settings import HostingSettings

configure(HostingSettings(data_directory=Path(), broker_url=sys.argv[1]))
client.read_view("demo", "PARIS", 1)
"""


# Celery tries RabbitMQ for six seconds.
@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:{port}/0", pytest.param("amqp://127.0.0.1:{port}//", marks=pytest.mark.slow)]
)
def test_a_broker_that_is_away_is_said_soon_and_in_a_sentence(url: str):
    asker = subprocess.run(
        [sys.executable, "-c", ASK, url.format(port=free_port())],
        cwd=ROOT,
        env=engine_alone(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "EngineUnavailable: The broker between web and engine cannot be reached" in asker.stderr


ASK_IN_VAIN = """
import sys
from contextlib import suppress
from pathlib import Path
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.errors import EngineUnavailable
from engine.hosting.settings import HostingSettings

configure(HostingSettings(data_directory=Path(), broker_url=sys.argv[1]))
for _ in range(5):
    with suppress(EngineUnavailable):
        client.read_view("demo", "PARIS", 1, timeout_seconds=0.2)
print("asked", flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_whoever_gives_up_an_answer_listens_for_it_no_more(redis_server: RedisServer):
    command = [sys.executable, "-c", ASK_IN_VAIN, redis_server.url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, env=engine_alone(), **pipes) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "asked\n"
        with Redis.from_url(redis_server.url) as redis:
            until(lambda: redis.pubsub_channels("celery-task-meta-*") == [], "nobody listens for an answer")
        asker.communicate()


ASK_FROM_THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.settings import HostingSettings

configure(HostingSettings(data_directory=Path(sys.argv[1]), broker_url=sys.argv[2]))
client.open_instance("demo", "PARIS")
for _ in range(4):
    # New threads, which the system numbers as the ones before.
    with ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(client.read_view, "demo", "PARIS", 1, timeout_seconds=10) for _ in range(8)]
        print(*(answer.result().name for answer in asked))
"""


@pytest.mark.slow
@pytest.mark.parametrize("broker", ["redis_url", "rabbitmq_url"])
def test_threads_that_come_and_go_are_all_answered(
    broker: str, request: pytest.FixtureRequest, start_worker: StartWorker, tmp_path: Path
):
    """A web process has a thread for each request; on RabbitMQ a new one shared the queue of answers of an old one."""
    broker_url = request.getfixturevalue(broker)
    start_worker(broker_url)
    asker = subprocess.run(
        [sys.executable, "-c", ASK_FROM_THREADS, str(tmp_path), broker_url],
        cwd=ROOT,
        env=engine_alone(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert asker.stdout.split() == ["PARIS"] * 32, asker.stderr
