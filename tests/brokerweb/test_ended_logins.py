"""What lets a person in ends for good: with the account switched off, or with another password."""

import time
from types import SimpleNamespace

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from brokerweb.accounts import link_proof
from brokerweb.accounts.link_proof import LINK_PROOF_MINUTES
from brokerweb.accounts.models import AccountChange, ApiToken, User
from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.selectors import session_users
from brokerweb.accounts.services import login_link_create, user_create, user_update
from brokerweb.accounts.tokens import token_create

PASSWORD = "correct horse battery"
ANOTHER = "an even longer secret"


@pytest.fixture
def olga(db):
    return user_create("olga", Role.OPERATOR, PASSWORD)


def browser_of(user):
    browser = Client()
    browser.force_login(user)
    return browser


def me(browser=None, token=None):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return (browser or Client()).get("/api/v1/me", headers=headers).status_code


def password(browser, new=ANOTHER, **body):
    return browser.post("/api/v1/me/password", {"new_password": new, **body}, content_type="application/json")


def switch_off_and_on(user):
    user_update(user.username, is_active=False)
    user_update(user.username, is_active=True)


def test_nothing_of_before_lets_in_after_an_account_was_off(olga):
    browser, (_, token), link = browser_of(olga), token_create(olga, "x", [Right.VIEW], 7), login_link_create(olga)
    assert (me(browser), me(token=token)) == (200, 200)
    switch_off_and_on(olga)
    assert (me(browser), me(token=token)) == (401, 401)
    assert session_users({browser.session.session_key}) == {}, "nor over a websocket"
    assert Client().post(f"/login/link/{link}").status_code == 410
    assert list(
        AccountChange.objects.filter(username="olga", what="token-revoked").values_list("before", flat=True)
    ) == [f"{token[:10]}… x"]
    fresh = Client()
    log_in = {"username": "olga", "password": PASSWORD}
    assert fresh.post("/api/v1/login", log_in, content_type="application/json").status_code == 200
    switch_off_and_on(olga)
    assert me(fresh) == 401, "each time"


def test_other_changes_of_an_account_end_nothing(olga):
    browser, (_, token) = browser_of(olga), token_create(olga, "x", [Right.VIEW], 7)
    user_update("olga", role=Role.EDITOR, reads_payloads=True, is_active=True)
    assert (me(browser), me(token=token)) == (200, 200)


def test_another_password_ends_other_sessions_and_links_and_tokens_if_that_is_wanted(olga):
    here, elsewhere, link = browser_of(olga), browser_of(olga), login_link_create(olga)
    _, token = token_create(olga, "x", [Right.VIEW], 7)
    assert password(here, current_password=PASSWORD).status_code == 204
    assert (me(here), me(elsewhere), me(token=token)) == (200, 401, 200)
    assert Client().post(f"/login/link/{link}").status_code == 410
    assert password(here, new=PASSWORD, current_password=ANOTHER, ends_tokens=True).status_code == 204
    assert (me(here), me(token=token)) == (200, 401)
    assert not ApiToken.objects.exists()


def test_a_refused_password_ends_nothing(olga):
    here, (_, token) = browser_of(olga), token_create(olga, "x", [Right.VIEW], 7)
    assert password(here, current_password="wrong", ends_tokens=True).status_code == 400
    assert password(here, new="short", current_password=PASSWORD, ends_tokens=True).status_code == 400
    assert me(token=token) == 200


@pytest.mark.parametrize("current", [{}, {"current_password": None}, {"current_password": ""}])
def test_an_open_session_alone_sets_no_first_password(db, current):
    newcomer = user_create("nina", Role.VIEWER)
    answer = password(browser_of(newcomer), **current)
    assert (answer.status_code, answer.json()["pointer"]) == (400, "/current_password")
    assert not User.objects.get(username="nina").has_usable_password()


def test_a_login_link_proves_enough_for_some_minutes_and_once(db, monkeypatch):
    newcomer = user_create("nina", Role.VIEWER)
    browser = Client()
    open_link(browser, newcomer)
    now = time.time()
    monkeypatch.setattr(link_proof, "time", SimpleNamespace(time=lambda: now + LINK_PROOF_MINUTES * 60 + 1))
    late = password(browser)
    assert late.status_code == 400
    assert "login link within the last 15 minutes" in late.json()["detail"]
    monkeypatch.undo()
    assert password(browser).status_code == 204
    assert password(browser, new=PASSWORD).status_code == 400
    assert User.objects.get(username="nina").check_password(ANOTHER)


def test_who_forgot_a_password_sets_another_with_a_login_link(olga):
    browser = Client()
    open_link(browser, olga)
    assert password(browser, current_password="wrong").status_code == 400, "what is typed is not ignored"
    assert password(browser).status_code == 204
    assert User.objects.get(username="olga").check_password(ANOTHER)


def open_link(browser, user):
    browser.post(f"/login/link/{login_link_create(user)}")


@pytest.mark.django_db(transaction=True)
def test_accounts_that_were_off_before_the_update_let_in_nobody_of_before():
    off, on = user_create("off", Role.VIEWER, PASSWORD), user_create("on", Role.VIEWER, PASSWORD)
    ways = {user: (browser_of(user), token_create(user, "x", [Right.VIEW], 7)[1]) for user in (off, on)}
    link = login_link_create(off)
    MigrationExecutor(connection).migrate([("accounts", "0004_attempt_count")])
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_user SET is_active = %s WHERE username = 'off'", [False])
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    user_update("off", is_active=True)
    assert {user.username: (me(browser), me(token=token)) for user, (browser, token) in ways.items()} == {
        "off": (401, 401),
        "on": (200, 200),
    }
    assert Client().post(f"/login/link/{link}").status_code == 410
    assert AccountChange.objects.filter(username="off", what="token-revoked").count() == 1
