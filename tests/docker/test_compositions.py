"""Each form of the product as `docker/` describes it, with its processes run natively: it starts, works and stops."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from tests.engine.hosting.conftest import rabbitmq_url, redis_url, wait_for_port  # noqa: F401  fixtures
from tests.support.compose import DOCKER, PASSWORDS, Composition, Image, read_compose
from tests.support.free_port import free_port
from tests.support.login_links import press_button_of
from tests.support.postgres_server import PostgresServer, running_postgres
from tests.support.waiting import until

EMBEDDED = ("compose.yml",)
EMBEDDED_POSTGRES = ("compose.yml", "compose.postgres.yml")
WORKERS = ("compose.workers.yml",)
WORKERS_RABBITMQ = ("compose.workers.yml", "compose.rabbitmq.yml")
WORKERS_SPARK = ("compose.workers.yml", "compose.spark.yml")
FORMS = (EMBEDDED, EMBEDDED_POSTGRES, WORKERS, WORKERS_RABBITMQ, WORKERS_SPARK)

SECONDS_MAX = 240
"""Six processes start: a quarter of a minute where they have the machine for themselves."""

ARRIVAL_SECONDS_MAX = 60.0

ESTATE = "/api/v1/estates/demo-fr-de"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
ENTREPOT = f"{ESTATE}/instances/LYON/databases/Entrepôt"
BODIES = [f"commande n° {number}" for number in range(1, 11)]


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        server.sql("CREATE DATABASE brokerweb ENCODING 'UTF8'")
        yield server


def run_redis(service: dict[str, Any], folder: Path, port: int) -> subprocess.Popen[bytes]:
    """The command of the service, on a port and in a folder of the test."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed (Debian, Ubuntu: apt-get install redis-server)")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    environment = {**os.environ, **service["environment"]}
    server = subprocess.Popen([*service["command"], *options], stdout=subprocess.DEVNULL, env=environment)
    wait_for_port(port)
    return server


def test_redis_has_the_password_and_shows_it_to_nobody(tmp_path: Path):
    service, port = read_compose(WORKERS, PASSWORDS)["redis"], free_port()
    server = run_redis(service, tmp_path, port)
    try:
        with closing(redis.Redis(port=port)) as stranger, pytest.raises(redis.AuthenticationError):
            stranger.ping()
        with closing(redis.Redis.from_url(f"redis://:geheim@127.0.0.1:{port}/0")) as known:
            assert known.ping()
            assert known.config_get("appendonly") == {"appendonly": "yes"}
        assert b"geheim" not in Path(f"/proc/{server.pid}/cmdline").read_bytes()
        asked = subprocess.run(
            ["redis-cli", "-p", str(port), "ping"],
            env={**os.environ, **service["environment"]},
            capture_output=True,
            text=True,
            check=True,
        )
        assert asked.stdout == "PONG\n", "the health check"
    finally:
        server.terminate()
        assert server.wait(60) == 0, "it is the process that is told to stop"


@pytest.fixture
def composed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Composition]:
    """Our processes of a form, healthy, on servers of the test."""
    files = request.param
    variables = {**PASSWORDS, "PORT": str(free_port()), "REDIS_PORT": str(free_port())}
    if "compose.rabbitmq.yml" in files:
        url = request.getfixturevalue("rabbitmq_url")
        variables["RABBITMQ_PORT"] = url.rstrip("/").rpartition(":")[2]
    if files != EMBEDDED:
        variables["POSTGRES_PORT"] = str(request.getfixturevalue("postgres").port)
    services = read_compose(files, variables)
    servers = []
    if "redis" in services:
        servers.append(run_redis(services["redis"], tmp_path, int(variables["REDIS_PORT"])))
    composition = Composition(services, tmp_path)
    composition.address = f"http://127.0.0.1:{variables['PORT']}"
    try:
        composition.start()
        yield composition
    finally:
        composition.kill()
        for server in servers:
            server.terminate()
            server.wait(60)


def log_in(composed: Composition, link: str) -> httpx.Client:
    browser = httpx.Client(base_url=composed.address, timeout=20)
    assert press_button_of(link, browser).status_code == 302
    assert browser.get("/api/v1/me").json()["role"] == "admin"
    return browser


def post(browser: httpx.Client, path: str, body: object) -> dict:
    answer = browser.post(path, json=body, headers={"X-CSRFToken": browser.cookies["brokerweb_csrftoken"]})
    assert answer.is_success, answer.text
    return answer.json()


def is_applied(browser: httpx.Client) -> bool:
    instances = browser.get(ESTATE).json()["instances"]
    return all(each["desired_revision"] == each["applied_revision"] for each in instances)


def send_from_paris_to_lyon(browser: httpx.Client) -> list[str]:
    """A dialog with ten messages; what arrives."""
    until(lambda: is_applied(browser), "the engine has the sample", ARRIVAL_SECONDS_MAX)
    services = {
        "from_service": "//exemple.fr/Ventes/Guichet",
        "to_service": "//exemple.fr/Commandes/Réception",
        "contract": "//exemple.fr/Commandes/Contrat",
    }
    handle = post(browser, f"{VENTES}/conversations", services)["conversation_handle"]
    messages = {"message_type": "//exemple.fr/Commandes/Commande", "bodies": BODIES}
    post(browser, f"{VENTES}/conversations/{handle}/messages", messages)
    [queue] = [
        service["queue"]
        for instance in browser.get(ESTATE).json()["instances"]
        for database in instance["databases"]
        for service in database["services"]
        if service["name"] == services["to_service"]
    ]
    ready = f"{ENTREPOT}/queues/{queue}/messages?top=200"
    until(lambda: browser.get(ready).json()["total"] == len(BODIES), "all are in LYON", ARRIVAL_SECONDS_MAX)
    received = post(browser, f"{ENTREPOT}/queues/{queue}/receive", {"top": 1000})["messages"]
    return [each["message_body"] for each in received]


def status_once_sound(composed: Composition) -> str:
    """What `engine_status` prints once it finds every instance at its wanted revision.

    Its figures are those of the last renewal of a lease: for a few seconds they may be older than what the instances
    have done since.
    """
    told = []

    def is_sound() -> bool:
        status = composed.run("web", "python", "manage.py", "engine_status")
        told.append(status.stdout + status.stderr)
        return status.returncode == 0

    until(is_sound, "the status is sound", ARRIVAL_SECONDS_MAX)
    return told[-1]


@pytest.mark.slow
@pytest.mark.timeout(SECONDS_MAX)
@pytest.mark.parametrize("composed", [EMBEDDED, EMBEDDED_POSTGRES], indirect=True, ids=["sqlite", "postgres"])
def test_one_process_is_the_whole_product(composed: Composition):
    [link] = re.findall(r"http://127\.0\.0\.1:\d+/login/link/\S+", composed.log("brokerweb"))
    assert send_from_paris_to_lyon(log_in(composed, link)) == BODIES
    assert composed.stop() == {"brokerweb": 0}


@pytest.mark.timeout(SECONDS_MAX)
@pytest.mark.slow
@pytest.mark.parametrize("composed", [WORKERS_RABBITMQ, WORKERS], indirect=True, ids="+".join)
def test_each_part_is_a_process_of_its_own(composed: Composition):
    assert composed.running() == ["beat", "readers", "web", "worker"]
    told = composed.run("web", "python", "manage.py", "login_link", "--address", composed.address)
    assert send_from_paris_to_lyon(log_in(composed, told.stdout.strip())) == BODIES
    status = status_once_sound(composed)
    assert status.count("worker@") == 4, f"the worker hosts all instances, the readers' none:\n{status}"
    assert composed.stop() == {"beat": 0, "readers": 0, "web": 0, "worker": 0}


@pytest.mark.parametrize("files", FORMS, ids="+".join)
def test_every_service_says_how_to_tell_that_it_is_healthy_and_what_must_be_there_before(files: tuple[str, ...]):
    services = read_compose(files, PASSWORDS)
    for name, service in services.items():
        assert set(service.get("depends_on", ())) <= services.keys(), name
        assert ("build" in service) != ("image" in service), name
        if "build" in service:
            assert service["volumes"] == ["data:/data"], name
            assert service.get("command") or Image(service["build"]["target"]).command, name
    silent = {name for name, service in services.items() if "healthcheck" not in service}
    assert silent <= {"prepare", "beat"}, "one ends, the other answers nobody"


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (EMBEDDED_POSTGRES, {"POSTGRES_PASSWORD"}),
        (WORKERS, {"POSTGRES_PASSWORD", "REDIS_PASSWORD"}),
        (WORKERS_SPARK, {"POSTGRES_PASSWORD", "REDIS_PASSWORD"}),
        (WORKERS_RABBITMQ, set(PASSWORDS)),
    ],
)
def test_passwords_must_be_chosen(files: tuple[str, ...], names: set[str]):
    for missing in names:
        with pytest.raises(KeyError, match=missing):
            read_compose(files, {name: value for name, value in PASSWORDS.items() if name != missing})
    assert "guest" not in str(read_compose(files, PASSWORDS))


@pytest.mark.parametrize("files", FORMS, ids="+".join)
def test_a_container_has_no_rights_of_root_and_a_bound_on_its_memory(files: tuple[str, ...]):
    for name, service in read_compose(files, PASSWORDS).items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert re.fullmatch(r"\d+g", service["mem_limit"]), name
        assert service.get("read_only") or name == "rabbitmq", name
        assert "privileged" not in service, name
        assert "cap_add" not in service, name
        if "image" in service:
            assert service["user"] == {"database": "postgres"}.get(name, name), "no root even for a moment"
            assert all(each.startswith("127.0.0.1:") for each in service["ports"]), name


def test_every_variable_of_the_compose_files_is_explained():
    explained = set(re.findall(r"^(?:# )?(\w+)=", (DOCKER / "env.example").read_text("utf-8"), flags=re.MULTILINE))
    used = set()
    for file in DOCKER.glob("compose*.yml"):
        used |= set(re.findall(r"\$\{(\w+)", file.read_text("utf-8")))
    assert used - explained == {"ENGINE_STORE_URL"}, "that one is an address, explained where it stands"
    assert explained <= used
