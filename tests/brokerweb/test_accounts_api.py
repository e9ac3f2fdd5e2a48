"""Who am I, log in, log out; and the password page beside them."""

from itertools import pairwise

import pytest
from django.test import Client

from brokerweb.accounts.rights import RIGHTS, Right, Role
from brokerweb.accounts.services import user_create

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture
def operator():
    return user_create("olga", Role.OPERATOR, PASSWORD)


def log_in(client, **credentials):
    return client.post("/api/v1/login", credentials, content_type="application/json")


def test_nobody_is_logged_in_at_first(client):
    answer = client.get("/api/v1/me")
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert problem["code"] == "unauthenticated"
    assert problem["cure"] == "Log in."


def test_a_session_says_who_and_with_which_rights(client, operator):
    answer = log_in(client, username="olga", password=PASSWORD)
    assert answer.json() == {"username": "olga", "role": "operator", "rights": ["view", "operate"]}
    assert client.get("/api/v1/me").json() == answer.json()


def test_a_wrong_password_is_refused_without_saying_what_was_wrong(client, operator):
    wrong = log_in(client, username="olga", password="wrong")
    unknown = log_in(client, username="nobody", password=PASSWORD)
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()


def test_an_account_that_is_switched_off_cannot_log_in(client, operator):
    operator.is_active = False
    operator.save()
    assert log_in(client, username="olga", password=PASSWORD).status_code == 401


def test_logging_out_ends_the_session(client, operator):
    client.force_login(operator)
    assert client.post("/api/v1/logout").status_code == 204
    assert client.get("/api/v1/me").status_code == 401


@pytest.mark.parametrize("address", ["/api/v1/login", "/api/v1/logout"])
def test_a_change_without_the_page_s_token_is_refused(operator, address):
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    answer = client.post(address, {"username": "olga", "password": PASSWORD}, content_type="application/json")
    assert answer.status_code == 403
    assert answer.json()["code"] == "csrf"


def test_a_change_with_the_page_s_token_is_taken(operator):
    client = Client(enforce_csrf_checks=True)
    client.get("/login")
    token = client.cookies["brokerweb_csrftoken"].value
    answer = client.post(
        "/api/v1/login",
        {"username": "olga", "password": PASSWORD},
        content_type="application/json",
        headers={"X-CSRFToken": token},
    )
    assert answer.status_code == 200


def test_the_password_page_logs_in_and_goes_where_one_wanted_to_go(client, operator):
    client.get("/live")
    answer = client.post("/login", {"username": "olga", "password": PASSWORD, "next": "/live"})
    assert answer.status_code == 302
    assert answer["Location"] == "/live"


def test_the_password_page_never_leads_to_another_site(client, operator):
    answer = client.post("/login", {"username": "olga", "password": PASSWORD, "next": "https://evil.example/"})
    assert answer["Location"] == "/"


def test_the_password_page_says_that_name_and_password_do_not_fit(client, operator):
    answer = client.post("/login", {"username": "olga", "password": "wrong"})
    assert "do not fit" in answer.content.decode()


def test_without_a_session_every_page_leads_to_the_password_page(client):
    answer = client.get("/topology/demo-fr-de")
    assert answer.status_code == 302
    assert answer["Location"] == "/login?next=/topology/demo-fr-de"


def test_what_looks_like_a_missing_file_is_not_answered_with_a_page(client, operator):
    client.force_login(operator)
    assert client.get("/assets/gone-12345678.js").status_code == 404
    assert client.get("/favicon.png").status_code == 404
    assert client.get("/api/v1/nothing").status_code == 404


def test_a_missing_front_end_is_said_in_words(client, operator, settings, tmp_path):
    settings.FRONTEND_DIST = tmp_path
    client.force_login(operator)
    answer = client.get("/")
    assert answer.status_code == 503
    assert "not built" in answer.content.decode()


def test_the_built_page_comes_with_the_token_for_changes(client, operator, settings, tmp_path):
    settings.FRONTEND_DIST = tmp_path
    (tmp_path / "index.html").write_text("<!doctype html><title>brokerweb</title>")
    client.force_login(operator)
    answer = client.get("/anything/the/router/knows.v2")
    assert answer.status_code == 200
    assert "brokerweb_csrftoken" in answer.cookies


def test_every_role_may_look_and_only_the_admin_may_administer():
    assert all(Right.VIEW in RIGHTS[role] for role in Role)
    assert [role for role in Role if Right.ADMINISTER in RIGHTS[role]] == [Role.ADMIN]


def test_a_stronger_role_never_loses_a_right():
    ladder = [Role.VIEWER, Role.OPERATOR, Role.EDITOR, Role.TRAINER, Role.ADMIN]
    assert all(RIGHTS[weaker] < RIGHTS[stronger] for weaker, stronger in pairwise(ladder))


def test_an_account_that_is_switched_off_has_no_rights(operator):
    operator.is_active = False
    assert operator.rights == frozenset()
