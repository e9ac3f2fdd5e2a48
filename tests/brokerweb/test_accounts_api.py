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
    assert answer.json() == {
        "username": "olga",
        "role": "operator",
        "rights": ["view", "operate"],
        "preferences": {"language": None, "time_zone": "UTC", "theme": "auto", "hidden_layers": []},
    }
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


def test_preferences_stay_with_the_account(client, operator):
    client.force_login(operator)
    patch = {"content_type": "application/json"}
    chosen = {"language": "de", "time_zone": "Europe/Paris", "theme": "dark", "hidden_layers": ["mirrors", "live"]}
    assert client.patch("/api/v1/me/preferences", chosen, **patch).json() == chosen
    assert client.patch("/api/v1/me/preferences", {"theme": "light"}, **patch).json() == chosen | {"theme": "light"}
    assert client.patch("/api/v1/me/preferences", {"language": None}, **patch).status_code == 200
    client.logout()
    assert log_in(client, username="olga", password=PASSWORD).json()["preferences"] == {
        "language": None,
        "time_zone": "Europe/Paris",
        "theme": "light",
        "hidden_layers": ["mirrors", "live"],
    }


def test_a_layer_is_one_that_the_canvas_has(client, operator):
    client.force_login(operator)
    patch = {"content_type": "application/json"}
    assert client.patch("/api/v1/me/preferences", {"hidden_layers": ["clouds"]}, **patch).status_code == 422
    assert client.patch("/api/v1/me/preferences", {"hidden_layers": []}, **patch).json()["hidden_layers"] == []


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "Europe", "../../etc/passwd", "/etc/passwd", "a\0b"])
def test_a_time_zone_is_one_that_there_is(client, operator, zone):
    client.force_login(operator)
    answer = client.patch("/api/v1/me/preferences", {"time_zone": zone}, content_type="application/json")
    assert (answer.status_code, answer.json()["pointer"]) == (400, "/time_zone")


@pytest.mark.parametrize("zone", ["UTC", "browser", "America/Argentina/Buenos_Aires", "Asia/Calcutta"])
def test_every_zone_of_a_browser_is_taken(client, operator, zone):
    client.force_login(operator)
    answer = client.patch("/api/v1/me/preferences", {"time_zone": zone}, content_type="application/json")
    assert answer.json()["time_zone"] == zone


def test_one_sets_one_s_own_password_and_stays_logged_in(client, operator):
    client.force_login(operator)
    change = {"current_password": PASSWORD, "new_password": "an even longer secret"}
    elsewhere = Client()
    elsewhere.force_login(operator)
    assert client.post("/api/v1/me/password", change, content_type="application/json").status_code == 204
    assert client.get("/api/v1/me").status_code == 200
    assert elsewhere.get("/api/v1/me").status_code == 401
    assert log_in(Client(), username="olga", password="an even longer secret").status_code == 200


@pytest.mark.parametrize(
    ("current", "new", "pointer"),
    [("wrong", "an even longer secret", "/current_password"), (PASSWORD, "short", "/new_password")],
)
def test_a_password_is_not_changed_by_a_stranger_nor_to_a_weak_one(client, operator, current, new, pointer):
    client.force_login(operator)
    change = {"current_password": current, "new_password": new}
    answer = client.post("/api/v1/me/password", change, content_type="application/json")
    assert (answer.status_code, answer.json()["pointer"]) == (400, pointer)
    assert log_in(Client(), username="olga", password=PASSWORD).status_code == 200


def test_reading_payloads_belongs_to_no_role():
    assert all(Right.READ_PAYLOADS not in rights for rights in RIGHTS.values())


def test_every_role_may_look_and_only_the_admin_may_administer():
    assert all(Right.VIEW in RIGHTS[role] for role in Role)
    assert [role for role in Role if Right.ADMINISTER in RIGHTS[role]] == [Role.ADMIN]


def test_a_stronger_role_never_loses_a_right():
    ladder = [Role.VIEWER, Role.OPERATOR, Role.EDITOR, Role.TRAINER, Role.ADMIN]
    assert all(RIGHTS[weaker] < RIGHTS[stronger] for weaker, stronger in pairwise(ladder))


def test_an_account_that_is_switched_off_has_no_rights(operator):
    operator.is_active = False
    assert operator.rights == frozenset()
