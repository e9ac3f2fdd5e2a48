"""Passwords cannot be found by trying: after too many wrong ones none is tried for some minutes."""

import time
from types import SimpleNamespace

import pytest
from django.core.cache import cache

from brokerweb.accounts import throttling
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import login_link_create, user_create
from brokerweb.accounts.throttling import WINDOW_SECONDS, WRONG_PER_ADDRESS, WRONG_PER_NAME

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def nothing_counted():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def admin():
    return user_create("olga", Role.ADMIN, PASSWORD)


def log_in(client, username, password, address="192.0.2.1"):
    body = {"username": username, "password": password}
    return client.post("/api/v1/login", body, content_type="application/json", REMOTE_ADDR=address)


def guess(client, username="olga", times=WRONG_PER_NAME):
    for number in range(times):
        assert log_in(client, username, f"wrong {number}", address=f"192.0.2.{number}").status_code == 401


def test_after_too_many_wrong_ones_even_the_right_one_waits(client, admin):
    guess(client)
    answer = log_in(client, "Olga", PASSWORD)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= WINDOW_SECONDS + 1
    problem = answer.json()
    assert problem["title"] == "Too many attempts"
    assert "too many wrong passwords" in problem["detail"]
    assert problem["cure"].startswith("Wait 5 minutes and try again")


def test_a_name_that_nobody_has_is_counted_alike(client, admin):
    guess(client, username="nobody")
    assert log_in(client, "nobody", PASSWORD).status_code == 429


def test_others_are_not_kept_out(client, admin):
    guess(client, username="other")
    assert log_in(client, "olga", PASSWORD).status_code == 200


def test_an_address_that_tries_many_names_is_refused_too(client, admin):
    for number in range(WRONG_PER_ADDRESS):
        assert log_in(client, f"name {number}", "wrong").status_code == 401
    assert log_in(client, "olga", PASSWORD).status_code == 429
    assert log_in(client, "olga", PASSWORD, address="192.0.2.2").status_code == 200


def test_it_is_over_after_some_minutes_however_often_one_tried_meanwhile(client, admin, monkeypatch):
    guess(client)
    now = time.time()
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: now + WINDOW_SECONDS - 30))
    assert log_in(client, "olga", PASSWORD).status_code == 429
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: now + WINDOW_SECONDS + 2))
    assert log_in(client, "olga", PASSWORD).status_code == 200


def test_the_right_password_forgets_the_wrong_ones(client, admin):
    for _ in range(2):
        guess(client, times=WRONG_PER_NAME - 1)
        assert log_in(client, "olga", PASSWORD).status_code == 200


@pytest.mark.parametrize("page", ["/login", "/admin/login/"])
def test_the_pages_say_it_calmly(client, admin, page):
    guess(client)
    answer = client.post(page, {"username": "olga", "password": PASSWORD})
    assert answer.status_code == 429
    assert answer["Retry-After"]
    assert "Wait 5 minutes" in answer.content.decode()


def test_a_login_link_still_opens_the_door(client, admin):
    guess(client)
    assert client.get(f"/login/link/{login_link_create(admin)}").status_code == 302
    assert client.get("/api/v1/me").json()["username"] == "olga"
