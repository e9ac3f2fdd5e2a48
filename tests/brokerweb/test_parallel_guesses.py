"""Guesses at the same moment, in several threads and processes, are as few as guesses one after another."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Lock

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client

from brokerweb.accounts import throttling
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.accounts.throttling import HASHES_AT_ONCE, WRONG_PER_ADDRESS, WRONG_PER_NAME
from brokerweb.common.work_slots import WorkSlots
from brokerweb.config.env import REPOSITORY

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "correct horse battery"
HASH_SECONDS = 0.02
"""Long enough that every thread has looked at the counts before the first wrong one is known."""


class Hashing:
    """What was hashed for log-ins, and how much of it at once."""

    def __init__(self):
        self.total = self.now = self.most = 0
        self._lock = Lock()

    def __enter__(self):
        with self._lock:
            self.total += 1
            self.now += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_):
        with self._lock:
            self.now -= 1


@pytest.fixture
def hashing(monkeypatch):
    seen = Hashing()
    encode = MD5PasswordHasher.encode

    def slow_encode(self, password, salt):
        with seen:
            Event().wait(HASH_SECONDS)
            return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", slow_encode)
    return seen


def at_once(times, ask):
    """The answers of `times` requests, begun together."""
    together = Barrier(times)

    def one(number):
        together.wait()
        try:
            return ask(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(one, range(times)))


def log_in(username, password, address="192.0.2.1"):
    body = {"username": username, "password": password}
    return Client().post("/api/v1/login", body, content_type="application/json", REMOTE_ADDR=address).status_code


def test_no_more_guesses_of_a_name_are_hashed_than_its_limit(hashing):
    user_create("oscar", Role.VIEWER, PASSWORD)
    hashing.total = 0
    statuses = at_once(30, lambda number: log_in("oscar", f"wrong {number}", address=f"192.0.2.{number}"))
    assert (statuses.count(401), statuses.count(429)) == (WRONG_PER_NAME, 30 - WRONG_PER_NAME)
    assert hashing.total == WRONG_PER_NAME
    assert hashing.most <= HASHES_AT_ONCE


def test_no_more_guesses_of_an_address_are_hashed_than_its_limit(hashing):
    statuses = at_once(WRONG_PER_ADDRESS + 10, lambda number: log_in(f"name {number}", "wrong"))
    assert statuses.count(401) == hashing.total == WRONG_PER_ADDRESS
    assert statuses.count(429) == 10


def test_a_page_for_passwords_is_no_other_way_to_guess(hashing):
    user_create("oscar", Role.VIEWER, PASSWORD)
    hashing.total = 0
    pages = ("/login", "/admin/login/")
    statuses = at_once(
        30, lambda number: Client().post(pages[number % 2], {"username": "oscar", "password": "x"}).status_code
    )
    assert statuses.count(429) == 30 - WRONG_PER_NAME
    assert hashing.total == WRONG_PER_NAME


def test_an_open_session_is_no_way_to_guess_the_password_behind_it(hashing):
    oscar = user_create("oscar", Role.VIEWER, PASSWORD)
    browsers = [Client() for _ in range(20)]
    for browser in browsers:
        browser.force_login(oscar)
    hashing.total = 0

    def guess(number):
        body = {"current_password": f"wrong {number}", "new_password": "an even longer secret"}
        return browsers[number].post("/api/v1/me/password", body, content_type="application/json").status_code

    statuses = at_once(20, guess)
    assert (statuses.count(400), statuses.count(429)) == (WRONG_PER_NAME, 20 - WRONG_PER_NAME)
    assert hashing.total == WRONG_PER_NAME
    assert log_in("oscar", PASSWORD) == 200, "who guesses there keeps nobody out"


def test_many_right_passwords_of_one_address_at_once_all_log_in(hashing):
    for number in range(12):
        user_create(f"trainee-{number}", Role.VIEWER, PASSWORD)
    statuses = at_once(WRONG_PER_ADDRESS + 10, lambda number: log_in(f"trainee-{number % 12}", PASSWORD))
    assert set(statuses) == {200}


def test_who_comes_when_too_many_wait_is_refused_at_once(hashing, monkeypatch):
    monkeypatch.setattr(throttling, "hashing", WorkSlots(1, 2))
    user_create("oscar", Role.VIEWER, PASSWORD)
    statuses = at_once(8, lambda number: log_in("oscar", PASSWORD))
    assert set(statuses) == {200, 429}
    assert statuses.count(200) >= 3
    assert log_in("oscar", PASSWORD) == 200, "nothing is counted of those that were refused"


def test_another_process_counts_the_same_guesses():
    user_create("oscar", Role.VIEWER, PASSWORD)
    for number in range(WRONG_PER_NAME):
        assert log_in("oscar", f"wrong {number}") == 401
    program = (
        "import django; django.setup()\n"
        "from tests.brokerweb.test_parallel_guesses import PASSWORD, log_in\n"
        "print(log_in('oscar', PASSWORD, address='192.0.2.9'))"
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.test",
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        "ALLOWED_HOSTS": "testserver",
    }
    other = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == "429"
