"""`manage.py run` as a person meets it: one command, one line, a link that works; and nothing lost when killed."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from brokerweb.config.env import REPOSITORY
from brokerweb.config.process.lock import data_directory_holder
from tests.support.free_port import free_port
from tests.support.login_links import press_button_of
from tests.support.thoroughness import share
from tests.support.waiting import SECONDS_MAX, until

ESTATE = "/api/v1/estates/demo-fr-de"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
ENTREPOT = f"{ESTATE}/instances/LYON/databases/Entrepôt"


class Running:
    """A started process of its own, on a data directory of the test."""

    def __init__(self, data: Path, *arguments: str):
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "CELERY_"))},
            "BROKERWEB_DATA": str(data),
        }
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "run", "--port", str(free_port()), *arguments],
            cwd=REPOSITORY,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def log_in(self) -> httpx.Client:
        """Follow the link that the process prints; answers the browser's session."""
        line = self.process.stdout.readline()
        if line.startswith("Port "):
            line = self.process.stdout.readline()
        assert line.startswith("brokerweb is ready."), line + self.process.stderr.read()
        self.link = re.search(r"http://127\.0\.0\.1:\d+/login/link/\S+", line)[0]
        browser = httpx.Client(base_url=self.link.split("/login")[0], timeout=SECONDS_MAX)
        answer = press_button_of(self.link, browser)
        assert (answer.status_code, answer.headers["location"]) == (302, "/")
        return browser

    def stop(self, how: signal.Signals) -> int:
        """The exit code."""
        self.process.send_signal(how)
        return self.process.wait(SECONDS_MAX)


@pytest.fixture
def start(tmp_path) -> Iterator[type[Running]]:
    running = []

    def begin(*arguments: str) -> Running:
        running.append(Running(tmp_path, *arguments))
        return running[-1]

    yield begin
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate()


def ask(browser: httpx.Client, method: str, path: str, body: object = None) -> httpx.Response:
    headers = {"X-CSRFToken": browser.cookies["brokerweb_csrftoken"]}
    return browser.request(method, path, json=body, headers=headers)


def is_applied(browser: httpx.Client) -> bool:
    instances = browser.get(ESTATE).json()["instances"]
    return all(each["desired_revision"] == each["applied_revision"] for each in instances)


@pytest.mark.parametrize("how", share([signal.SIGTERM, signal.SIGINT], 1))
def test_the_first_start_leads_to_a_running_sample_and_a_signal_ends_it_cleanly(start, tmp_path, how):
    first = start()
    browser = first.log_in()
    assert browser.get("/api/v1/me").json()["role"] == "admin"
    assert browser.get("/api/v1/estates").json()[0]["instances"] == ["BERLIN", "HUB", "LYON", "PARIS"]
    until(lambda: is_applied(browser), "the engine has the sample")
    assert browser.get(first.link).status_code == 302, "who is in already is led to the dashboard"
    assert httpx.get(first.link).status_code == 410

    strangers = {"Daphne-Root-Path": "//evil.example", "Host": browser.base_url.netloc.decode()}
    assert httpx.get(f"{browser.base_url}/", headers=strangers).headers["location"] == "/login?next=/"

    second = start()
    _, complaint = second.process.communicate(timeout=SECONDS_MAX)
    assert second.process.returncode == 2
    assert "924: brokerweb already runs on" in complaint
    assert f"process {first.process.pid}" in complaint
    assert data_directory_holder(tmp_path).address == str(browser.base_url).rstrip("/")

    assert first.stop(how) == 0
    assert data_directory_holder(tmp_path) is None
    printed, warnings = first.process.communicate()
    assert printed == ""
    assert warnings == ""
    log = (tmp_path / "log" / "brokerweb.log").read_text("utf-8")
    assert " INFO brokerweb.config.process.serving: Ready on http://127.0.0.1:" in log
    assert " INFO brokerweb.config.process.serving: Stopped." in log


@pytest.mark.slow
def test_what_the_server_did_wrong_is_in_the_log_with_its_traceback(start, tmp_path):
    browser = start().log_in()
    with sqlite3.connect(tmp_path / "brokerweb.sqlite3") as database:
        database.execute("ALTER TABLE topology_estate RENAME TO elsewhere")
    assert browser.get("/api/v1/estates").status_code == 500
    log = (tmp_path / "log" / "brokerweb.log").read_text("utf-8")
    assert "ERROR brokerweb.common.api.errors: GET /api/v1/estates failed" in log
    assert "Traceback (most recent call last)" in log
    assert "no such table: topology_estate" in log


@pytest.mark.slow
def test_a_taken_port_is_said_and_the_next_one_used(start, tmp_path):
    first = start()
    address = first.log_in().base_url
    other = Running(tmp_path / "other", "--port", str(address.port))
    try:
        assert other.process.stdout.readline().startswith(f"Port {address.port} is taken; the dashboard uses ")
        assert other.log_in().base_url.port > address.port
        assert other.stop(signal.SIGINT) == 0
    finally:
        other.process.kill()
        other.process.communicate()


@pytest.mark.slow
def test_a_process_that_is_killed_in_the_middle_loses_and_repeats_nothing(start):
    """PARIS ──▶ LYON: sixty messages wait for an endpoint that is down, forty follow when it comes up, then kill -9."""
    first = start()
    browser = first.log_in()
    until(lambda: is_applied(browser), "the engine has the sample")
    assert ask(browser, "POST", f"{ESTATE}/instances/LYON/endpoint", {"state": "STOPPED"}).status_code == 200
    until(lambda: is_applied(browser), "LYON's endpoint is stopped")
    begun = ask(
        browser,
        "POST",
        f"{VENTES}/conversations",
        {
            "from_service": "//exemple.fr/Ventes/Guichet",
            "to_service": "//exemple.fr/Commandes/Réception",
            "contract": "//exemple.fr/Commandes/Contrat",
        },
    )
    assert begun.status_code == 201, begun.text
    conversation = f"{VENTES}/conversations/{begun.json()['conversation_handle']}"
    bodies = [f"commande n° {number}" for number in range(1, 101)]
    message = {"message_type": "//exemple.fr/Commandes/Commande"}
    assert ask(browser, "POST", f"{conversation}/messages", {**message, "bodies": bodies[:60]}).status_code == 201
    assert ask(browser, "POST", f"{ESTATE}/instances/LYON/endpoint", {"state": "STARTED"}).status_code == 200
    assert ask(browser, "POST", f"{conversation}/messages", {**message, "bodies": bodies[60:]}).status_code == 201
    first.stop(signal.SIGKILL)

    browser = start().log_in()
    queue = next(
        queue["name"]
        for instance in browser.get(ESTATE).json()["instances"]
        for database in instance["databases"]
        for queue in database["queues"]
        if any(
            service["queue"] == queue["name"] and service["name"] == "//exemple.fr/Commandes/Réception"
            for service in database["services"]
        )
    )
    messages = f"{ENTREPOT}/queues/{queue}/messages?top=200"
    until(lambda: browser.get(messages).json()["total"] == 100, "all hundred are in LYON")
    received = ask(browser, "POST", f"{ENTREPOT}/queues/{queue}/receive", {"top": 1000}).json()["messages"]
    assert [each["message_body"] for each in received] == bodies


@pytest.mark.slow
def test_a_change_that_was_under_way_when_the_process_was_killed_is_applied_right_after_the_start(start, tmp_path):
    first = start()
    browser = first.log_in()
    until(lambda: is_applied(browser), "the engine has the sample")
    with sqlite3.connect(tmp_path / "brokerweb.sqlite3") as database:
        # The moment between the claim of a message and its delivery, made to last until the kill.
        database.execute(
            "CREATE TRIGGER claimed AFTER INSERT ON outbox_outboxmessage BEGIN"
            " UPDATE outbox_outboxmessage SET claimed_until = datetime('now', '+1 hour') WHERE id = NEW.id; END"
        )
    assert ask(browser, "POST", f"{ESTATE}/instances/LYON/endpoint", {"state": "STOPPED"}).status_code == 200
    first.stop(signal.SIGKILL)
    with sqlite3.connect(tmp_path / "brokerweb.sqlite3") as database:
        assert database.execute("SELECT instance_name FROM outbox_outboxmessage").fetchall() == [("LYON",)]
        database.execute("DROP TRIGGER claimed")
    browser = start().log_in()
    until(lambda: is_applied(browser), "LYON's endpoint is stopped")
