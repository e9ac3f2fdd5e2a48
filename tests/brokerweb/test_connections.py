"""Connections of browsers are bounded, slow ones are given up, and the engine beside them keeps its descriptors."""

from __future__ import annotations

import json
import re
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from brokerweb.config.http.bounds import (
    BODY_BYTES_A_SECOND_MIN,
    BODY_SECONDS_MAX,
    HEADER_SECONDS_MAX,
)
from tests.support.http_wire import Stub, Wire, connections
from tests.support.running import REPOSITORY, Client, Running, database_path
from tests.support.waiting import SECONDS_MAX, until

ESTATE = "demo-fr-de"
DESCRIPTORS = 512
"""Of the process under attack; usual is 1,024."""
HALF_REQUESTS = 600


# ── which one is given up ────────────────────────────────────────────────────────────────────────────────────────────
def test_who_has_waited_longest_makes_room_and_who_is_answered_never_does():
    bounds = connections(4)
    first, second, third, fourth, fifth = (Stub(f"192.0.2.{number}") for number in range(5))
    for each in (first, second, third, fourth):
        assert bounds.admit(each)
    bounds.is_busy(first)
    assert bounds.admit(fifth)
    assert [each.is_open for each in (first, second, third, fourth, fifth)] == [True, False, True, True, True]
    bounds.waits(first)
    for each in (third, fourth, fifth):
        bounds.is_busy(each)
    assert bounds.admit(Stub("192.0.2.9"))
    assert not first.is_open
    assert len(bounds) == 4


def test_nobody_is_admitted_where_all_are_answered_until_one_goes():
    bounds = connections(2)
    busy = [Stub(f"192.0.2.{number}") for number in range(2)]
    for each in busy:
        bounds.admit(each)
        bounds.is_busy(each)
    assert not bounds.admit(Stub("192.0.2.8"))
    bounds.gone(busy[0])
    bounds.gone(busy[0])
    assert bounds.admit(Stub("192.0.2.8"))
    assert busy[1].is_open
    # What was closed comes back nowhere.
    bounds.waits(busy[0])
    assert len(bounds) == 2


def test_an_address_has_half_of_all_and_loses_its_own():
    bounds = connections(8)
    other = Stub("192.0.2.7")
    assert bounds.admit(other)
    mine = [Stub() for _ in range(7)]
    for each in mine:
        assert bounds.admit(each)
    assert [each.is_open for each in mine] == [False] * 3 + [True] * 4
    assert other.is_open
    for each in mine[3:]:
        bounds.is_busy(each)
    assert not bounds.admit(Stub())
    assert bounds.admit(Stub("192.0.2.8"))


def test_a_trusted_proxy_speaks_for_many():
    bounds = connections(8)
    proxied = [Stub("10.0.0.1") for _ in range(8)]
    assert all(bounds.admit(each) for each in proxied)
    assert all(each.is_open for each in proxied)


# ── how slow one may be, on virtual time ─────────────────────────────────────────────────────────────────────────────
def test_nothing_at_all_is_given_up():
    wire = Wire()
    wire.pass_seconds(HEADER_SECONDS_MAX - 1)
    assert wire.is_open
    wire.pass_seconds(2)
    assert not wire.is_open


@pytest.mark.parametrize("begin", [b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "])
def test_headers_that_come_byte_by_byte_are_given_up(begin):
    wire = Wire()
    wire.channel.dataReceived(begin)
    wire.pass_seconds(HEADER_SECONDS_MAX - 1, b"a")
    assert wire.is_open
    wire.pass_seconds(2, b"a")
    assert not wire.is_open


def test_a_body_has_the_more_time_the_more_of_it_has_come():
    head = b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"
    slow, fast = Wire(), Wire()
    for wire in (slow, fast):
        wire.channel.dataReceived(head)
    slow.pass_seconds(BODY_SECONDS_MAX + 2, b"a")
    assert not slow.is_open
    fast.pass_seconds(BODY_SECONDS_MAX + 8, b"a" * (BODY_BYTES_A_SECOND_MIN // 4))
    assert fast.is_open
    fast.pass_seconds(BODY_SECONDS_MAX, b"")
    assert not fast.is_open


def test_what_is_refused_is_read_no_further_and_cut_off():
    wire = Wire()
    wire.channel.dataReceived(
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\nExpect: 100-continue\r\n\r\n"
    )
    answer = wire.transport.value()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100 Continue" not in answer
    wire.channel.dataReceived(b"a" * 900_000 + b"GET / HTTP/1.1\r\n\r\n")
    assert wire.transport.value() == answer
    wire.pass_seconds(3)
    assert not wire.is_open


# ── a real server ────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def half_requests() -> Iterator[list[socket.socket]]:
    """Sockets of the test, which needs more of them than is usual."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(before[1], 4 * HALF_REQUESTS)), before[1]))
    held: list[socket.socket] = []
    yield held
    for each in held:
        each.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def attack(port: int, held: list[socket.socket]) -> None:
    for number in range(HALF_REQUESTS):
        connection = socket.create_connection(("127.0.0.1", port), timeout=SECONDS_MAX)
        connection.sendall(b"GET /login HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: " + b"a" * (number % 7))
        held.append(connection)


def test_the_soft_limit_of_descriptors_is_raised(tmp_path: Path):
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 1000));"
            "import brokerweb.config.celery; print(*resource.getrlimit(resource.RLIMIT_NOFILE))",
        ],
        cwd=REPOSITORY,
        env={"BROKERWEB_DATA": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=SECONDS_MAX,
    )
    assert said.stdout.split() == ["1000", "1000"]


def _is_applied(client: Client) -> bool:
    return all(each["desired_revision"] == each["applied_revision"] for each in client.topology(ESTATE)["instances"])


def _send(client: Client, count: int) -> None:
    source = database_path(ESTATE, "PARIS", "Ventes")
    dialog = {
        "from_service": "//exemple.fr/Ventes/Guichet",
        "to_service": "//exemple.fr/Commandes/Réception",
        "contract": "//exemple.fr/Commandes/Contrat",
    }
    begun = client.post_json(f"{source}/conversations", dialog).raise_for_status().json()["conversation_handle"]
    for number in range(count):
        body = {"message_type": "//exemple.fr/Commandes/Commande", "bodies": [str(number)]}
        client.post_json(f"{source}/conversations/{begun}/messages", body).raise_for_status()


def _arrived(client: Client) -> int:
    target = database_path(ESTATE, "LYON", "Entrepôt")
    return client.get(f"{target}/queues/Commandes reçues/messages?top=1").raise_for_status().json()["total"]


def test_hundreds_of_half_requests_take_neither_the_dashboard_nor_the_engine(tmp_path: Path, half_requests):
    product = Running(tmp_path / "data", descriptors=DESCRIPTORS)
    link = product.start()
    try:
        with Client.logged_in(link) as client:
            until(lambda: _is_applied(client), "the engine has the sample")
            attack(product.port, half_requests)
            for round_number in range(1, 4):
                _send(client, 5)
                until(lambda: _arrived(client) == 5 * round_number, "they have arrived")  # noqa: B023 - in its turn
                attack(product.port, half_requests)
            # Somebody who comes now is served, with a connection of his own.
            address = f"http://127.0.0.1:{product.port}"
            assert httpx.get(f"{address}/login", timeout=SECONDS_MAX).status_code == 200
            refused = re.search(
                r'brokerweb_web_refused_total{reason="given-up"} (\d+)',
                httpx.get(f"{address}/metrics", timeout=SECONDS_MAX).text,
            )
            assert refused is not None
            assert int(refused[1]) > HALF_REQUESTS
    finally:
        product.stop()
    log = (product.data_directory / "log" / "brokerweb.log").read_text("utf-8")
    assert " ERROR " not in log, log
    assert "unable to open" not in log + product.output
    assert "Too many open files" not in log + product.output


@pytest.mark.slow
def test_daphnes_own_command_has_the_bounds_too(tmp_path: Path, half_requests):
    """As the web process of several is started."""
    data = {
        "BROKERWEB_DATA": str(tmp_path / "data"),
        "PATH": "",
        "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.dev",
    }
    subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=REPOSITORY, env=data, check=True)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    with ExitStack() as stack:
        web = subprocess.Popen(
            [sys.executable, "-m", "daphne", "--port", str(port), "brokerweb.config.asgi:application"],
            cwd=REPOSITORY,
            env=data,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        stack.callback(web.wait, SECONDS_MAX)
        stack.callback(web.terminate)
        address = f"http://127.0.0.1:{port}/login"

        def is_up() -> bool:
            try:
                return httpx.get(address, timeout=SECONDS_MAX).status_code == 200
            except httpx.TransportError:
                return False

        until(is_up, "it listens")
        refused = httpx.post(address, content=b"a" * (1 << 20), timeout=SECONDS_MAX)
        assert (refused.status_code, json.loads(refused.text)["code"]) == (413, "too-large")
        soft, hard = resource.prlimit(web.pid, resource.RLIMIT_NOFILE)
        assert soft == hard
