"""Passwords cannot be found by trying: after too many wrong ones none is tried for some minutes."""

import time
from types import SimpleNamespace

import pytest
from django.test import Client

from brokerweb.accounts import throttling
from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.services import login_link_create, user_create
from brokerweb.accounts.throttling import WINDOW_SECONDS, WRONG_PER_ADDRESS, WRONG_PER_NAME
from brokerweb.accounts.tokens import token_create

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


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


def test_guesses_of_one_name_keep_no_other_name_of_the_address_out(client, admin):
    statuses = [log_in(client, "oscar", f"wrong {number}").status_code for number in range(WRONG_PER_ADDRESS + 10)]
    assert statuses == [401] * WRONG_PER_NAME + [429] * (WRONG_PER_ADDRESS + 10 - WRONG_PER_NAME)
    assert log_in(client, "olga", PASSWORD).status_code == 200


def test_an_address_that_tries_many_names_is_refused_too(client, admin):
    for number in range(WRONG_PER_ADDRESS):
        assert log_in(client, f"name {number}", "wrong").status_code == 401
    assert log_in(client, "olga", PASSWORD).status_code == 429
    assert log_in(client, "olga", PASSWORD, address="192.0.2.2").status_code == 200


def test_a_network_of_ipv6_addresses_counts_as_one_address(client, admin):
    statuses = {log_in(client, f"name {n}", "wrong", f"2001:db8::{n:x}").status_code for n in range(WRONG_PER_ADDRESS)}
    assert statuses == {401}
    assert log_in(client, "olga", PASSWORD, address="2001:db8:0:0:ffff::1").status_code == 429
    assert log_in(client, "olga", PASSWORD, address="2001:db8:0:1::1").status_code == 200


def test_a_browser_that_has_been_in_is_not_kept_out_by_strangers(admin):
    known = Client()
    assert log_in(known, "olga", PASSWORD).status_code == 200
    known.post("/api/v1/logout")
    guess(Client())
    for number in range(WRONG_PER_ADDRESS):
        log_in(Client(), f"name {number}", "wrong")
    assert log_in(Client(), "olga", PASSWORD).status_code == 429
    assert log_in(known, "olga", PASSWORD).status_code == 200
    assert known.cookies["brokerweb_device"]["httponly"]


def test_a_login_link_makes_a_browser_known_too(admin):
    known = Client()
    known.post(f"/login/link/{login_link_create(admin)}")
    known.post("/logout")
    guess(Client())
    assert log_in(known, "olga", PASSWORD).status_code == 200


def test_a_known_browser_has_no_more_guesses_than_a_stranger(admin):
    known = Client()
    log_in(known, "olga", PASSWORD)
    known.post("/api/v1/logout")
    guess(known)
    assert log_in(known, "olga", PASSWORD).status_code == 429
    assert log_in(Client(), "olga", PASSWORD).status_code == 200, "and a stolen cookie keeps nobody out"


def test_a_browser_is_known_for_its_own_person_only_and_not_by_its_word(admin):
    user_create("mallory", Role.VIEWER, PASSWORD)
    known = Client()
    log_in(known, "mallory", PASSWORD)
    forged = Client()
    forged.cookies["brokerweb_device"] = '["olga", "1"]'
    guess(Client())
    assert log_in(known, "olga", PASSWORD).status_code == 429
    assert log_in(forged, "olga", PASSWORD).status_code == 429


def test_tokens_and_passwords_are_counted_apart_and_a_valid_token_is_never_refused(admin):
    _, text = token_create(admin, "script", [Right.VIEW], 7)

    def me(token):
        headers = {"Authorization": f"Bearer {token}"}
        return Client().get("/api/v1/me", headers=headers, REMOTE_ADDR="192.0.2.1").status_code

    assert [me("bwt_wrong") for _ in range(WRONG_PER_ADDRESS + 1)] == [401] * WRONG_PER_ADDRESS + [429]
    assert me(text) == 200
    assert log_in(Client(), "olga", PASSWORD).status_code == 200
    for number in range(WRONG_PER_ADDRESS):
        log_in(Client(), f"name {number}", "wrong")
    assert log_in(Client(), "olga", PASSWORD).status_code == 429
    assert me(text) == 200


def test_metrics_are_read_with_a_valid_token_whatever_was_guessed(admin, settings):
    settings.METRICS_TOKEN = "a token made by chance"
    _, text = token_create(admin, "prometheus", [Right.ADMINISTER], 7)

    def read(token):
        return Client().get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code

    assert [read("wrong") for _ in range(WRONG_PER_ADDRESS + 1)] == [401] * WRONG_PER_ADDRESS + [429]
    assert (read(text), read(settings.METRICS_TOKEN)) == (200, 200)


def test_it_is_over_after_some_minutes_however_often_one_tried_meanwhile(client, admin, monkeypatch):
    guess(client)
    now = time.time()
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: now + WINDOW_SECONDS - 30))
    assert log_in(client, "olga", PASSWORD).status_code == 429
    monkeypatch.setattr(throttling, "time", SimpleNamespace(time=lambda: now + WINDOW_SECONDS + 2))
    assert log_in(client, "olga", PASSWORD).status_code == 200


def test_the_right_password_forgets_the_wrong_ones(admin):
    for _ in range(2):
        guess(Client(), times=WRONG_PER_NAME - 1)
        assert log_in(Client(), "olga", PASSWORD).status_code == 200


@pytest.mark.parametrize("page", ["/login", "/admin/login/"])
def test_the_pages_say_it_calmly(client, admin, page):
    guess(client)
    answer = client.post(page, {"username": "olga", "password": PASSWORD})
    assert answer.status_code == 429
    assert answer["Retry-After"]
    assert "Wait 5 minutes" in answer.content.decode()


def test_a_login_link_still_opens_the_door(client, admin):
    guess(client)
    assert client.post(f"/login/link/{login_link_create(admin)}").status_code == 302
    assert client.get("/api/v1/me").json()["username"] == "olga"
